import { Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { ClientLink, PartnerLinks } from '../../components/accounts/account-links';
import { Screen } from '../../components/layout/screen';
import { useChosenColumns } from '../../components/lists/chosen-columns';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { useSelection } from '../../components/lists/selection';
import { BulkRepairs } from '../../components/repairs/bulk-repairs';
import { Badge, ReasonBadge, StatusBadge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { amountOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { ORDER_STATUSES } from '../../texts/names';
import { Filters } from './filters';

type Row = ApiResponse<'listOperatorOrders'>['orders'][number];

const route = getRouteApi('/orders');
const t = texts.orders;
const STATUSES = Object.keys(ORDER_STATUSES);
const COLUMNS: readonly Column<Row>[] = [
  {
    name: t.columns.reference,
    sortBy: (row) => row.orderReferenceId,
    cell: (row) => (
      <Link to="/orders/$orderId" params={{ orderId: row.id }}>
        {row.orderReferenceId}
      </Link>
    ),
  },
  {
    name: t.columns.status,
    sortBy: ({ fulfillmentStatus }) => STATUSES.indexOf(fulfillmentStatus),
    cell: (row) => (
      <>
        <StatusBadge status={row.fulfillmentStatus} /> {row.archived && <Badge tone="neutral">{t.archived}</Badge>}
        {row.reprintOf === null ? null : <Badge tone="neutral">{t.reprint}</Badge>}
      </>
    ),
  },
  {
    name: t.columns.reason,
    cell: ({ attention, refusal }) => (
      <Group gap={6} wrap="nowrap">
        {attention.map((reason) => (
          <ReasonBadge key={reason} reason={reason} />
        ))}
        {refusal === null ? null : (
          <Text size="xs" truncate>
            {refusal}
          </Text>
        )}
      </Group>
    ),
  },
  {
    name: t.columns.client,
    sortBy: ({ clientName }) => clientName,
    cell: (row) => <ClientLink id={row.clientId} name={row.clientName} />,
  },
  { name: t.columns.partner, cell: ({ partners }) => <PartnerLinks partners={partners} /> },
  { name: t.columns.recipient, sortBy: ({ recipient }) => recipient, cell: ({ recipient }) => recipient },
  { name: t.columns.country, sortBy: ({ country }) => country, cell: (row) => row.country },
  {
    name: t.columns.amount,
    numeric: true,
    sortBy: ({ amount }) => amount?.totalInclVat ?? null,
    cell: ({ amount }) => amountOf(amount),
  },
  { name: t.columns.created, sortBy: ({ createdAt }) => createdAt, cell: (row) => <Time at={row.createdAt} isShort /> },
];

export function OrdersScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayRepair = useMay('operator');
  const query = useInfiniteQuery(readPages('listOperatorOrders', { query: search }));
  const { columns, chooser } = useChosenColumns('orders', COLUMNS);
  const { selected, column, clear } = useSelection(
    query.data?.pages.flatMap(({ orders }) => orders) ?? [],
    JSON.stringify(search),
    ({ id }) => id,
    ({ orderReferenceId }) => orderReferenceId,
  );
  const target = {
    request: { orderIds: selected.map(({ id }) => id) },
    count: selected.length,
    orders: selected,
  };
  return (
    <Screen
      title={t.title}
      actions={
        <>
          {chooser}
          <ExportCsv operation="listOperatorOrders" input={{ query: { ...search, format: 'csv' } }} />
        </>
      }
    >
      <Filters search={search} />
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ orders }) => orders}
        columns={mayRepair ? [column, ...columns] : columns}
        keyOf={({ id }) => id}
        isDense
        empty={{ title: t.empty, text: t.emptyText }}
        onClear={Object.values(search).some(Boolean) ? () => navigate({ search: {} }) : undefined}
      />
      <BulkRepairs target={target} onStarted={clear} />
    </Screen>
  );
}
