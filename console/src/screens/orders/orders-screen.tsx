import { Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { ClientLink, PartnerLinks } from '../../components/accounts/account-links';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge, ReasonBadge, StatusBadge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { amountOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import { texts } from '../../texts';
import { Filters } from './filters';

type Row = ApiResponse<'listOperatorOrders'>['orders'][number];

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
  {
    name: t.columns.status,
    cell: (row) => (
      <>
        <StatusBadge status={row.fulfillmentStatus} /> {row.archived && <Badge tone="neutral">{t.archived}</Badge>}
      </>
    ),
  },
  {
    name: t.columns.reason,
    cell: ({ attention, refusal }) => (
      <Group gap={6}>
        {attention.map((reason) => (
          <ReasonBadge key={reason} reason={reason} />
        ))}
        {refusal === null ? null : <Text size="xs">{refusal}</Text>}
      </Group>
    ),
  },
  { name: t.columns.client, cell: (row) => <ClientLink id={row.clientId} name={row.clientName} /> },
  { name: t.columns.partner, cell: ({ partners }) => <PartnerLinks partners={partners} /> },
  { name: t.columns.recipient, cell: ({ recipient }) => recipient },
  { name: t.columns.country, cell: (row) => row.country },
  { name: t.columns.amount, numeric: true, cell: ({ amount }) => amountOf(amount) },
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
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ orders }) => orders}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Screen>
  );
}
