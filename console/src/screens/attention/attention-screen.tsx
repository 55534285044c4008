import { Group, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Answer } from '../../api/call';
import { read, readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { ClientLink, PartnerLinks } from '../../components/account-links';
import { ReasonBadge, StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { SelectEverything, useSelection } from '../../components/selection';
import { Age } from '../../components/time';
import { texts } from '../../texts';
import { REASONS } from '../../texts/names';
import { BulkActs } from './bulk-acts';
import { MOST_ORDERS, type RepairTarget } from './bulk-repair-request';
import { RunningRepairs } from './running-repairs';
import { type AttentionSort, SORTS } from './sorts';
import { useRowKeys } from './use-row-keys';

type Row = Answer<'listOperatorOrders'>['orders'][number];

const route = getRouteApi('/attention');
const t = texts.attention;
const PAGE = 100;

const COLUMNS: readonly Column<Row>[] = [
  {
    name: t.columns.reason,
    cell: (row) => (
      <Group gap={6}>
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
  { name: t.columns.client, cell: (row) => <ClientLink id={row.clientId} name={row.clientName} /> },
  { name: t.columns.partner, cell: ({ partners }) => <PartnerLinks partners={partners} /> },
  { name: t.columns.age, cell: (row) => <Age at={row.attentionSince ?? row.updatedAt} /> },
  { name: t.columns.status, cell: (row) => <StatusBadge status={row.fulfillmentStatus} /> },
  { name: t.columns.country, cell: (row) => row.country },
];

export function AttentionScreen() {
  const { reason, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const filters = { attention: reason ?? 'any', sort: sort ?? ('age' as const) };
  const query = useInfiniteQuery(readPages('listOperatorOrders', { query: { ...filters, limit: PAGE } }));
  const reasons = Object.entries(REASONS).map(([value, label]) => ({ value, label }));
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={<ExportCsv operation="listOperatorOrders" input={{ query: { ...filters, format: 'csv' } }} />}
    >
      <Group>
        <NativeSelect
          label={t.filter}
          value={reason ?? ''}
          onChange={(event) => navigate({ search: { sort, reason: event.currentTarget.value || undefined } })}
          data={[{ value: '', label: t.all }, ...reasons]}
        />
        <NativeSelect
          label={t.sort}
          value={sort ?? 'age'}
          onChange={(event) =>
            navigate({ search: { reason, sort: event.currentTarget.value as AttentionSort } })
          }
          data={SORTS.map((value) => ({ value, label: t.sorts[value] }))}
        />
      </Group>
      <RunningRepairs />
      <Loaded query={query}>
        {({ pages }) => (
          <Orders rows={pages.flatMap(({ orders }) => orders)} hasMore={query.hasNextPage} reason={reason} />
        )}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}

/** Returns the number of orders that match the filter, loaded or not. Undefined until it is read. */
function useMatching(reason: string | undefined): number | undefined {
  const { data } = useQuery(read('getOperatorSummary', {}));
  if (data === undefined || reason === undefined) return data?.ordersNeedingAttention;
  return data.attention.find((each) => each.reason === reason)?.count ?? 0;
}

function Orders(props: {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly reason: string | undefined;
}) {
  const { rows, hasMore, reason } = props;
  const navigate = route.useNavigate();
  const mayAct = useMay('operator');
  const matching = useMatching(reason);
  const selection = useSelection(
    rows,
    reason ?? '',
    ({ id }) => id,
    ({ orderReferenceId }) => orderReferenceId,
  );
  const { selected, isEverything, column, clear } = selection;
  const target: RepairTarget = isEverything
    ? {
        request: { filter: reason === undefined ? {} : { attention: [reason as Row['attention'][number]] } },
        count: matching ?? selected.length,
        orders: selected,
      }
    : { request: { orderIds: selected.map(({ id }) => id) }, count: selected.length, orders: selected };
  const active = useRowKeys(
    rows.map(({ id }) => id),
    (orderId) => navigate({ to: '/orders/$orderId', params: { orderId } }),
  );
  return (
    <>
      {mayAct ? <BulkActs target={target} onDone={clear} /> : null}
      <SelectEverything
        selection={selection}
        hasMore={hasMore}
        name={t.orders}
        total={matching}
        most={MOST_ORDERS}
      />
      {rows.length === 0 ? (
        <Empty title={t.empty} text={t.emptyText} />
      ) : (
        <DataTable
          label={t.title}
          columns={mayAct ? [column, ...COLUMNS] : COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          activeKey={active}
        />
      )}
    </>
  );
}
