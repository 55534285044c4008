import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { Tone } from '../../texts/names';

type Request = ApiResponse<'listPartnerRequests'>['requests'][number];

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
        {texts.names.code(outcome)} · {status ?? texts.partners.ping.noResponse}
      </Badge>
    ),
  },
  {
    name: t.columns.duration,
    numeric: true,
    cell: ({ durationMs }) => durationOfMs(durationMs),
  },
  { name: t.columns.response, cell: ({ response }) => response ?? texts.common.none },
];

/** Every request to a partner with its response. */
export function Requests({ partnerId }: { readonly partnerId: string }) {
  const query = useInfiniteQuery(readPages('listPartnerRequests', { params: { partnerId }, query: { limit: 20 } }));
  return (
    <Section
      title={t.title}
      actions={
        <ExportCsv operation="listPartnerRequests" input={{ params: { partnerId }, query: { format: 'csv' } }} />
      }
    >
      <PagedTable
        label={t.title}
        query={query}
        lines={3}
        rowsOf={({ requests }) => requests}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
