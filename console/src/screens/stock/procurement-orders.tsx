import { Checkbox, Group, NativeSelect } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Answer, call } from '../../api/call';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { PROCUREMENT_STATUSES, type ProcurementStatus, type StockSearch } from './search';

type Order = Answer<'searchProcurementOrders'>['orders'][number];

const route = getRouteApi('/stock');
const t = texts.stock;
const PAGE = 25;

/** Returns an amount with its currency. */
export const amount = (value: number, currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(value);

const sum = (items: Order['items'], of: (item: Order['items'][number]) => number) =>
  items.reduce((total, item) => total + of(item), 0);

const COLUMNS: readonly Column<Order>[] = [
  {
    name: t.orderColumns.id,
    cell: ({ orderId }) => (
      <Link to="/stock" search={{ procurementOrder: orderId }}>
        {orderId}
      </Link>
    ),
  },
  {
    name: t.orderColumns.attention,
    cell: ({ attention }) =>
      attention === null ? texts.common.none : <Badge tone="warning">{attention}</Badge>,
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
    cell: ({ totalCost, currency }) => amount(totalCost, currency),
  },
  { name: t.orderColumns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const filtersOf = ({ partnerId, status, attention }: StockSearch) => ({ partnerId, status, attention });

/** Returns the query of the procurement orders, newest first. Their pages have numbers. */
function ordersOf(search: StockSearch) {
  const filters = filtersOf(search);
  return infiniteQueryOptions({
    queryKey: ['searchProcurementOrders', filters],
    queryFn: ({ signal, pageParam: pageNumber }) =>
      call('searchProcurementOrders', { query: { ...filters, pageNumber, perPage: PAGE } }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { pageNumber, perPage, totalResult } }) =>
      pageNumber * perPage < totalResult ? pageNumber + 1 : null,
  });
}

/** What partners have ordered from their suppliers. */
export function ProcurementOrders({ search }: { readonly search: StockSearch }) {
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(ordersOf(search));
  const change = (changed: StockSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <Section
      title={t.procurementOrders}
      actions={
        <ExportCsv
          operation="searchProcurementOrders"
          input={{ query: { ...filtersOf(search), format: 'csv' } }}
        />
      }
    >
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t.orderColumns.status}
          value={search.status ?? ''}
          onChange={(event) =>
            change({ status: (event.currentTarget.value || undefined) as ProcurementStatus | undefined })
          }
          data={[
            { value: '', label: texts.orders.allStatuses },
            ...PROCUREMENT_STATUSES.map((value) => ({ value, label: t.statuses[value].text })),
          ]}
        />
        <Checkbox
          label={t.onlyAttention}
          checked={search.attention === 'true'}
          onChange={(event) => change({ attention: event.currentTarget.checked ? 'true' : undefined })}
        />
      </Group>
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ orders }) => orders);
          if (rows.length === 0) return <Empty title={t.noOrder} text={t.noOrderText} />;
          return (
            <DataTable
              label={t.procurementOrders}
              columns={COLUMNS}
              rows={rows}
              keyOf={({ orderId }) => String(orderId)}
            />
          );
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}
