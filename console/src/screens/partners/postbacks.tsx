import { useInfiniteQuery } from '@tanstack/react-query';
import type { Answer } from '../../api/call';
import { readPages } from '../../api/queries';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';

type Postback = Answer<'listPartnerPostbacks'>['postbacks'][number];

const t = texts.partners.postbacks;

const COLUMNS: readonly Column<Postback>[] = [
  { name: t.columns.at, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  { name: t.columns.status, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: t.columns.printOrder,
    cell: ({ orderId, printOrderId }) => (
      <Link to="/orders/$orderId" params={{ orderId }}>
        {printOrderId}
      </Link>
    ),
  },
  { name: t.columns.message, cell: ({ message }) => message ?? texts.common.none },
  {
    name: t.columns.handled,
    cell: ({ handledAt }) => (handledAt === null ? t.waiting : <Time at={handledAt} />),
  },
];

/** What a partner reported, newest first. */
export function Postbacks({ partnerId }: { readonly partnerId: string }) {
  const query = useInfiniteQuery(
    readPages('listPartnerPostbacks', { params: { partnerId }, query: { limit: 20 } }),
  );
  return (
    <Section
      title={t.title}
      actions={
        <ExportCsv
          operation="listPartnerPostbacks"
          input={{ params: { partnerId }, query: { format: 'csv' } }}
        />
      }
    >
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ postbacks }) => postbacks);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}
