import { Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read, readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { AccountFilters } from '../../components/accounts/account-filters';
import { ClientLink, PartnerLinks } from '../../components/accounts/account-links';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { type PagedResult, PagedTable } from '../../components/lists/paged-table';
import { SelectEverything, useSelection } from '../../components/lists/selection';
import { MOST_ORDERS, type RepairTarget } from '../../components/repairs/bulk-repair-request';
import { BulkRepairs } from '../../components/repairs/bulk-repairs';
import { ReasonBadge, StatusBadge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { amountOf } from '../../components/values/money';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { REASONS } from '../../texts/names';
import type { AttentionSearch } from './attention-search';
import { RunningRepairs } from './running-repairs';
import { useRowKeys } from './use-row-keys';

/** Today loads it with this screen. */
export { Alarms } from '../today/alarms';

type Row = ApiResponse<'listOperatorOrders'>['orders'][number];

const route = getRouteApi('/attention');
const t = texts.attention;
const PAGE = 100;

const COLUMNS: readonly Column<Row>[] = [
  {
    name: t.columns.reason,
    cell: (row) => (
      <Group gap={6} wrap="nowrap">
        {row.attention.map((reason) => (
          <ReasonBadge key={reason} reason={reason} />
        ))}
      </Group>
    ),
  },
  {
    name: t.columns.order,
    cell: (row) => (
      <Link to="/orders/$orderId" params={{ orderId: row.id }}>
        {row.orderReferenceId}
      </Link>
    ),
  },
  { name: t.columns.status, cell: (row) => <StatusBadge status={row.fulfillmentStatus} /> },
  { name: t.columns.recipient, cell: ({ recipient, country }) => t.recipient(recipient, country) },
  { name: t.columns.client, cell: (row) => <ClientLink id={row.clientId} name={row.clientName} /> },
  { name: t.columns.partner, cell: ({ partners }) => <PartnerLinks partners={partners} /> },
  {
    name: t.columns.amount,
    numeric: true,
    cell: ({ amount }) => amountOf(amount),
  },
  { name: t.columns.age, cell: (row) => <Age at={row.attentionSince ?? row.updatedAt} /> },
];

export function AttentionScreen() {
  const search = route.useSearch();
  const { reason, sort = 'age', clientId, partnerId } = search;
  const navigate = route.useNavigate();
  const filter = (changed: AttentionSearch) => navigate({ search: { ...search, ...changed } });
  const filters = {
    attention: reason ?? 'any',
    sort,
    ...(clientId === undefined ? {} : { clientId }),
    ...(partnerId === undefined ? {} : { partnerId }),
  };
  const query = useInfiniteQuery(readPages('listOperatorOrders', { query: { ...filters, limit: PAGE } }));
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={<ExportCsv operation="listOperatorOrders" input={{ query: { ...filters, format: 'csv' } }} />}
    >
      <Group>
        <Select
          label={t.filter}
          none={t.all}
          value={reason}
          onChange={(chosen) => filter({ reason: chosen })}
          options={optionsOf(REASONS)}
        />
        <AccountFilters search={search} onChange={filter} />
        <Select
          label={t.sort}
          value={sort}
          onChange={(chosen) => filter({ sort: chosen })}
          options={optionsOf(t.sorts)}
        />
      </Group>
      <RunningRepairs />
      <Orders query={query} search={search} />
    </Screen>
  );
}

/** Returns the number of orders that match the filter, loaded or not. Undefined until it is read. */
function useMatching({ reason, clientId, partnerId }: AttentionSearch): number | undefined {
  const { data } = useQuery(read('getOperatorSummary', {}));
  // The summary does not count by client and partner.
  if (clientId !== undefined || partnerId !== undefined) return undefined;
  if (data === undefined || reason === undefined) return data?.ordersNeedingAttention;
  return data.attention.find((each) => each.reason === reason)?.count ?? 0;
}

function Orders(props: {
  readonly query: PagedResult<ApiResponse<'listOperatorOrders'>>;
  readonly search: AttentionSearch;
}) {
  const { query, search } = props;
  const { reason, clientId, partnerId } = search;
  const navigate = route.useNavigate();
  const mayRepair = useMay('operator');
  const matching = useMatching(search);
  const rows = query.data?.pages.flatMap(({ orders }) => orders) ?? [];
  const selection = useSelection(
    rows,
    [reason, clientId, partnerId].join(),
    ({ id }) => id,
    ({ orderReferenceId }) => orderReferenceId,
  );
  const { selected, isEverything, column, clear, toggle } = selection;
  const target: RepairTarget = isEverything
    ? {
        request: {
          filter: {
            ...(reason === undefined ? {} : { attention: [reason] }),
            ...(clientId === undefined ? {} : { clientIds: [clientId] }),
            ...(partnerId === undefined ? {} : { partnerIds: [partnerId] }),
          },
        },
        count: matching ?? selected.length,
        orders: selected,
      }
    : { request: { orderIds: selected.map(({ id }) => id) }, count: selected.length, orders: selected };
  const active = useRowKeys(
    rows.map(({ id }) => id),
    {
      open: (orderId) => navigate({ to: '/orders/$orderId', params: { orderId } }),
      select: (orderId) => toggle(orderId),
    },
  );
  return (
    <>
      <SelectEverything
        selection={selection}
        hasMore={query.hasNextPage}
        name={t.orders}
        total={matching}
        most={MOST_ORDERS}
      />
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ orders }) => orders}
        columns={mayRepair ? [column, ...COLUMNS] : COLUMNS}
        keyOf={({ id }) => id}
        activeKey={active}
        isDense
        empty={{ title: t.empty, text: t.emptyText }}
        onClear={
          reason === undefined && clientId === undefined && partnerId === undefined
            ? undefined
            : () => navigate({ search: {} })
        }
      />
      {mayRepair ? <BulkRepairs target={target} onStarted={clear} /> : null}
    </>
  );
}
