import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { readPages } from '../../api/queries';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import type { Tone } from '../../texts/names';

type Request = Answer<'listPartnerRequests'>['requests'][number];

const t = texts.partners.requests;
const TONES: Readonly<Record<Request['outcome'], Tone>> = {
  accepted: 'success',
  retry: 'warning',
  refused: 'danger',
};

const COLUMNS: readonly Column<Request>[] = [
  { name: t.columns.at, cell: ({ at }) => <Time at={at} /> },
  { name: t.columns.kind, cell: ({ kind }) => texts.names.code(kind) },
  {
    name: t.columns.printOrder,
    cell: ({ printOrderId }) =>
      printOrderId === null ? (
        texts.common.none
      ) : (
        <Link to="/orders" search={{ q: printOrderId }}>
          {printOrderId}
        </Link>
      ),
  },
  {
    name: t.columns.outcome,
    cell: ({ outcome, status }) => (
      <Badge tone={TONES[outcome]}>
        {texts.names.code(outcome)} · {status ?? texts.partners.ping.noAnswer}
      </Badge>
    ),
  },
  {
    name: t.columns.duration,
    numeric: true,
    cell: ({ durationMs }) => texts.partners.ping.ms(durationMs),
  },
  { name: t.columns.answer, cell: ({ answer }) => answer ?? texts.common.none },
];

/** Every request to a partner with its answer. */
export function Requests({ partnerId }: { readonly partnerId: string }) {
  const query = useInfiniteQuery(
    readPages('listPartnerRequests', { params: { partnerId }, query: { limit: 20 } }),
  );
  return (
    <Section
      title={t.title}
      actions={
        <ExportCsv
          operation="listPartnerRequests"
          input={{ params: { partnerId }, query: { format: 'csv' } }}
        />
      }
    >
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ requests }) => requests);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}
