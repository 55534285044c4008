import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Answer } from '../../api/call';
import { readPages } from '../../api/queries';
import { ClientLink, PartnerLinks } from '../../components/account-links';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { Filters } from './filters';

type Row = Answer<'listOperatorOrders'>['orders'][number];

const route = getRouteApi('/orders');
const t = texts.orders;
const COLUMNS: readonly Column<Row>[] = [
  {
    name: t.columns.reference,
    cell: (row) => (
      <Link to="/orders/$orderId" params={{ orderId: row.id }}>
        {row.orderReferenceId}
      </Link>
    ),
  },
  { name: t.columns.status, cell: (row) => <StatusBadge status={row.fulfillmentStatus} /> },
  { name: t.columns.client, cell: (row) => <ClientLink id={row.clientId} name={row.clientName} /> },
  { name: t.columns.partner, cell: ({ partners }) => <PartnerLinks partners={partners} /> },
  { name: t.columns.country, cell: (row) => row.country },
  { name: t.columns.created, cell: (row) => <Time at={row.createdAt} /> },
];

export function OrdersScreen() {
  const search = route.useSearch();
  const query = useInfiniteQuery(readPages('listOperatorOrders', { query: search }));
  return (
    <Screen
      title={t.title}
      actions={<ExportCsv operation="listOperatorOrders" input={{ query: { ...search, format: 'csv' } }} />}
    >
      <Filters search={search} />
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.orders);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={COLUMNS} rows={rows} keyOf={(row) => row.id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}
