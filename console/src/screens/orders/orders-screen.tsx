import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import type { Answer } from '../../api/call';
import { readPages } from '../../api/queries';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { REASONS, STATUSES } from '../../texts/names';
import type { OrdersSearch } from './route';

type Row = Answer<'listOperatorOrders'>['orders'][number];

const route = getRouteApi('/orders');
const t = texts.orders;
const SHOWN = [
  ...['draft', 'created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit'],
  ...['delivered', 'returned', 'on_hold', 'failed', 'canceled'],
];

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
  { name: t.columns.client, cell: (row) => row.clientName },
  {
    name: t.columns.partner,
    cell: ({ partners }) => partners.map(({ uid }) => uid).join(', ') || texts.common.none,
  },
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

/** Returns the day of a time in the browser's zone, as date fields have it. */
function dayOf(at: string | undefined): string {
  const time = new Date(at ?? '');
  // Sweden writes dates as ISO 8601 does.
  return Number.isNaN(time.getTime()) ? '' : time.toLocaleDateString('sv-SE');
}

function Filters({ search }: { readonly search: OrdersSearch }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.q ?? '');
  const [country, setCountry] = useState(search.country ?? '');
  // Another part of the console can change the search.
  useEffect(() => setText(search.q ?? ''), [search.q]);
  useEffect(() => setCountry(search.country ?? ''), [search.country]);
  const change = (changed: OrdersSearch) => navigate({ search: { ...search, ...changed } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const countries = country
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(Boolean);
    void change({ q: text.trim() || undefined, country: countries.join(',') || undefined });
  };
  /** Returns the field of a day. The address has the start of the day in the browser's zone. */
  const day = (label: string, name: 'createdFrom' | 'createdTo') => (
    <TextInput
      type="date"
      label={label}
      value={dayOf(search[name])}
      onChange={({ currentTarget: { value } }) =>
        change({ [name]: value === '' ? undefined : new Date(`${value}T00:00`).toISOString() })
      }
    />
  );
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label={t.search}
          placeholder={t.placeholder}
          w={320}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.status}
          value={search.status ?? ''}
          onChange={(event) => change({ status: event.currentTarget.value || undefined })}
          data={[
            { value: '', label: t.allStatuses },
            ...SHOWN.map((value) => ({ value, label: STATUSES[value]!.text })),
          ]}
        />
        <NativeSelect
          label={t.attention}
          value={search.attention ?? ''}
          onChange={(event) => change({ attention: event.currentTarget.value || undefined })}
          data={[
            { value: '', label: t.anyAttention },
            { value: 'any', label: t.needsAttention },
            ...Object.entries(REASONS).map(([value, label]) => ({ value, label })),
          ]}
        />
        <TextInput
          label={t.country}
          placeholder={t.countryPlaceholder}
          w={96}
          value={country}
          onChange={(event) => setCountry(event.currentTarget.value)}
        />
        {day(t.from, 'createdFrom')}
        {day(t.to, 'createdTo')}
        <button type="submit" hidden />
      </Group>
    </form>
  );
}
