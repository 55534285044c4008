import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { StatusBadge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

type Postback = ApiResponse<'listPartnerPostbacks'>['postbacks'][number];

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
  const query = useInfiniteQuery(readPages('listPartnerPostbacks', { params: { partnerId }, query: { limit: 20 } }));
  return (
    <Section
      title={t.title}
      actions={
        <ExportCsv operation="listPartnerPostbacks" input={{ params: { partnerId }, query: { format: 'csv' } }} />
      }
    >
      <PagedTable
        label={t.title}
        query={query}
        lines={3}
        rowsOf={({ postbacks }) => postbacks}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
