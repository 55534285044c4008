import { Group, NativeSelect, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { Screen } from '../../components/screen';
import { texts } from '../../texts';
import { Parcels } from './parcels';
import { PARCEL_STATUSES, type ParcelStatus, type ShipmentsSearch } from './search';
import { ShippingOrders } from './shipping-orders';

const route = getRouteApi('/shipments');
const t = texts.shipments;

export function ShipmentsScreen() {
  const search = route.useSearch();
  const { q, problem, status } = search;
  return (
    <Screen title={t.title}>
      <Filters search={search} />
      <ShippingOrders filters={{ q, problem }} />
      <Parcels filters={{ q, problem, status }} />
    </Screen>
  );
}

function Filters({ search }: { readonly search: ShipmentsSearch }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.q ?? '');
  // A link to this screen changes the search without a new screen.
  useEffect(() => setText(search.q ?? ''), [search.q]);
  const change = (changed: ShipmentsSearch) => navigate({ search: { ...search, ...changed } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void change({ q: text.trim() || undefined });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label={t.search}
          placeholder={t.placeholder}
          w={360}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.problem}
          value={search.problem ?? ''}
          onChange={(event) => change({ problem: event.currentTarget.value === '' ? undefined : 'true' })}
          data={[
            { value: '', label: t.anyProblem },
            { value: 'true', label: t.onlyProblems },
          ]}
        />
        <NativeSelect
          label={t.status}
          value={search.status ?? ''}
          onChange={(event) =>
            change({ status: (event.currentTarget.value || undefined) as ParcelStatus | undefined })
          }
          data={[
            { value: '', label: t.allStatuses },
            ...PARCEL_STATUSES.map((value) => ({ value, label: t.statuses[value].text })),
          ]}
        />
        <button type="submit" hidden />
      </Group>
    </form>
  );
}
