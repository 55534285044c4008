import { Group, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Answer, Input } from '../../api/call';
import { readPages } from '../../api/queries';
import { ReasonBadge, StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Age } from '../../components/time';
import { texts } from '../../texts';
import { REASONS } from '../../texts/names';

type Row = Answer<'listOrdersNeedingAttention'>['orders'][number];
type Reason = NonNullable<Input<'listOrdersNeedingAttention'>['query']>['reason'];

const route = getRouteApi('/attention');
const { attention } = texts;

const COLUMNS: readonly Column<Row>[] = [
  {
    name: attention.columns.reason,
    cell: (row) => (
      <Group gap={6}>
        {row.attention.map((reason) => (
          <ReasonBadge key={reason} reason={reason} />
        ))}
      </Group>
    ),
  },
  { name: attention.columns.order, cell: (row) => row.orderReferenceId },
  { name: attention.columns.client, cell: (row) => row.clientName },
  { name: attention.columns.status, cell: (row) => <StatusBadge status={row.fulfillmentStatus} /> },
  { name: attention.columns.country, cell: (row) => row.country },
  { name: attention.columns.age, cell: (row) => <Age at={row.updatedAt} /> },
];

export function AttentionScreen() {
  const { reason } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(
    readPages('listOrdersNeedingAttention', { query: { reason: reason as Reason } }),
  );
  return (
    <Screen title={attention.title} intro={attention.intro}>
      <Group>
        <NativeSelect
          label={attention.filter}
          value={reason ?? ''}
          onChange={(event) => navigate({ search: { reason: event.currentTarget.value || undefined } })}
          data={[
            { value: '', label: attention.all },
            ...Object.entries(REASONS).map(([value, label]) => ({ value, label })),
          ]}
        />
      </Group>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ orders }) => orders);
          if (rows.length === 0) return <Empty title={attention.empty} text={attention.emptyText} />;
          return <DataTable label={attention.title} columns={COLUMNS} rows={rows} keyOf={(row) => row.id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}
