import { Checkbox, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { optionsOf, Select } from '../../components/forms/select';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { StockSearch } from './stock-search';

type Order = ApiResponse<'searchProcurementOrders'>['orders'][number];

const route = getRouteApi('/stock');
const t = texts.stock;
const PAGE = 25;

const sum = (items: Order['items'], of: (item: Order['items'][number]) => number) =>
  items.reduce((total, item) => total + of(item), 0);

const COLUMNS: readonly Column<Order>[] = [
  {
    name: t.orderColumns.id,
    cell: ({ orderId }) => (
      <Link to="/stock" search={{ procurementOrder: String(orderId) }}>
        {orderId}
      </Link>
    ),
  },
  {
    name: t.orderColumns.attention,
    cell: ({ attention }) => (attention === null ? texts.common.none : <Badge tone="warning">{attention}</Badge>),
  },
  {
    name: t.orderColumns.status,
    cell: ({ status }) => <Badge tone={t.statuses[status].tone}>{t.statuses[status].text}</Badge>,
  },
  { name: t.orderColumns.partner, cell: ({ partnerUid }) => partnerUid },
  { name: t.orderColumns.supplier, cell: ({ supplierUid }) => supplierUid },
  {
    name: t.orderColumns.pieces,
    numeric: true,
    cell: ({ items }) =>
      t.received(
        sum(items, ({ quantityReceived }) => quantityReceived),
        sum(items, ({ quantity }) => quantity),
      ),
  },
  {
    name: t.orderColumns.total,
    numeric: true,
    cell: ({ totalCost, currency }) => moneyOf(totalCost, currency),
  },
  { name: t.orderColumns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const filtersOf = ({ partnerId, status, attention }: StockSearch) => ({ partnerId, status, attention });

/** Returns the query of the procurement orders, newest first. Their pages have numbers. */
const ordersOf = (search: StockSearch) =>
  readPages(
    'searchProcurementOrders',
    { query: { ...filtersOf(search), perPage: PAGE } },
    ({ pagination: { pageNumber, perPage, totalResult } }) =>
      pageNumber * perPage < totalResult ? { pageNumber: pageNumber + 1 } : null,
  );

/** What partners have ordered from their suppliers. */
export function ProcurementOrders({ search }: { readonly search: StockSearch }) {
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(ordersOf(search));
  const change = (changed: StockSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <Section
      title={t.procurementOrders}
      actions={
        <ExportCsv operation="searchProcurementOrders" input={{ query: { ...filtersOf(search), format: 'csv' } }} />
      }
    >
      <Group align="flex-end" gap="sm">
        <Select
          label={t.orderColumns.status}
          none={texts.orders.allStatuses}
          value={search.status}
          onChange={(status) => change({ status })}
          options={optionsOf(t.statuses)}
        />
        <Checkbox
          label={t.onlyAttention}
          checked={search.attention === 'true'}
          onChange={(event) => change({ attention: event.currentTarget.checked ? 'true' : undefined })}
        />
      </Group>
      <PagedTable
        label={t.procurementOrders}
        query={query}
        lines={3}
        rowsOf={({ orders }) => orders}
        columns={COLUMNS}
        keyOf={({ orderId }) => String(orderId)}
        empty={{ title: t.noOrder, text: t.noOrderText }}
      />
    </Section>
  );
}
