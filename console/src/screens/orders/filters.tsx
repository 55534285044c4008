import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/queries';
import { dayOf, startOfDay } from '../../components/days';
import { FilterForm, FilterText } from '../../components/filter-form';
import { textOf } from '../../components/form-fields';
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
  const change = (changed: OrdersSearch) => navigate({ search: { ...search, ...changed } });
  const apply = (form: FormData) => {
    const countries = (textOf(form, 'country') ?? '')
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(Boolean);
    void change({ q: textOf(form, 'q') ?? undefined, country: countries.join(',') || undefined });
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
    <FilterForm onSubmit={apply}>
      <FilterText name="q" label={t.search} value={search.q} width={320} placeholder={t.placeholder} />
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
      <FilterText
        name="country"
        label={t.country}
        value={search.country}
        width={96}
        placeholder={t.countryPlaceholder}
        type="text"
      />
      {day(t.from, 'createdFrom')}
      {day(t.to, 'createdTo')}
    </FilterForm>
  );
}
