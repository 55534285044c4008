import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Answer, type ApiError, call, type Input } from '../../api/call';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { STATUSES } from '../../texts/names';

type Page = Answer<'searchOrders'>;
type Row = Page['orders'][number];
type Search = NonNullable<Input<'searchOrders'>['body']>;

const route = getRouteApi('/orders');
const { orders } = texts;
const SHOWN = [
  'draft',
  'created',
  'uploading',
  'passed',
  'in_production',
  'printed',
  'shipped',
  'in_transit',
  'delivered',
  'returned',
  'on_hold',
  'failed',
  'canceled',
];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: orders.columns.reference,
    cell: (row) => (
      <Link to="/orders/$orderId" params={{ orderId: row.id }}>
        {row.orderReferenceId}
      </Link>
    ),
  },
  { name: orders.columns.status, cell: (row) => <StatusBadge status={row.fulfillmentStatus} /> },
  { name: orders.columns.recipient, cell: (row) => `${row.firstName} ${row.lastName}` },
  { name: orders.columns.country, cell: (row) => row.country },
  { name: orders.columns.created, cell: (row) => <Time at={row.createdAt} /> },
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the search that a text means: an id is a UUID, everything else is a reference. */
function searchFor(q: string | undefined, status: string | undefined): Search {
  return {
    ...(q === undefined ? {} : UUID.test(q) ? { ids: [q] } : { orderReferenceIds: [q] }),
    ...(status === undefined ? {} : { fulfillmentStatuses: [status] as Search['fulfillmentStatuses'] }),
  };
}

export function OrdersScreen() {
  const { q, status } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(q ?? '');
  const body = searchFor(q, status);
  const query = useInfiniteQuery<Page, ApiError, { pages: Page[] }, readonly unknown[], string | null>({
    queryKey: ['searchOrders', body],
    queryFn: ({ signal, pageParam }) =>
      call('searchOrders', { body: { ...body, cursor: pageParam } }, { signal }),
    initialPageParam: null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { status, q: text.trim() || undefined } });
  };
  return (
    <Screen title={orders.title}>
      <form onSubmit={submit}>
        <Group align="flex-end">
          <TextInput
            type="search"
            label={orders.search}
            placeholder={orders.placeholder}
            w={320}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <NativeSelect
            label={orders.status}
            value={status ?? ''}
            onChange={(event) => navigate({ search: { q, status: event.currentTarget.value || undefined } })}
            data={[
              { value: '', label: orders.allStatuses },
              ...SHOWN.map((value) => ({ value, label: STATUSES[value]!.text })),
            ]}
          />
        </Group>
      </form>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.orders);
          if (rows.length === 0) return <Empty title={orders.empty} text={orders.emptyText} />;
          return <DataTable label={orders.title} columns={COLUMNS} rows={rows} keyOf={(row) => row.id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}
