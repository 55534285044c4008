import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { read } from '../../api/queries';
import { dayOf, startOfDay } from '../../components/days';
import { texts } from '../../texts';
import { REASONS, STATUSES } from '../../texts/names';
import type { OrdersSearch } from './route';

const route = getRouteApi('/orders');
const t = texts.orders;
const SHOWN = [
  ...['draft', 'created', 'uploading', 'passed', 'in_production', 'printed', 'shipped', 'in_transit'],
  ...['delivered', 'returned', 'on_hold', 'failed', 'canceled'],
];

/** Clients that the filter offers. The address takes the id of any client. */
const CLIENTS = 250;

function useClients(): { value: string; label: string }[] {
  const query = useQuery({
    ...read('listConnectors', { query: { limit: CLIENTS } }),
    refetchInterval: false,
  });
  return (query.data?.connectors ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

function usePartners(): { value: string; label: string }[] {
  const query = useQuery({ ...read('listPartners', {}), refetchInterval: false });
  return (query.data?.partners ?? []).map(({ id, uid }) => ({ value: id, label: uid }));
}

/** The search field and the filters of the list. They are in the address. */
export function Filters({ search }: { readonly search: OrdersSearch }) {
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
      onChange={(event) => change({ [name]: startOfDay(event.currentTarget.value) })}
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
        <NativeSelect
          label={t.client}
          w={160}
          value={search.clientId ?? ''}
          onChange={(event) => change({ clientId: event.currentTarget.value || undefined })}
          data={[{ value: '', label: t.allClients }, ...useClients()]}
        />
        <NativeSelect
          label={t.partner}
          w={160}
          value={search.partnerId ?? ''}
          onChange={(event) => change({ partnerId: event.currentTarget.value || undefined })}
          data={[{ value: '', label: t.allPartners }, ...usePartners()]}
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
