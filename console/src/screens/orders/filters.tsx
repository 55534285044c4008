import { TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AccountFilters } from '../../components/accounts/account-filters';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { dayOf, startOfDay } from '../../components/values/days';
import { texts } from '../../texts';
import { ORDER_STATUSES, REASONS } from '../../texts/names';
import type { OrdersSearch } from './orders-search';

const route = getRouteApi('/orders');
const t = texts.orders;
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
      <Select
        label={t.status}
        none={t.allStatuses}
        value={search.status}
        onChange={(status) => change({ status })}
        options={optionsOf(ORDER_STATUSES)}
      />
      <Select
        label={t.attention}
        none={t.anyAttention}
        value={search.attention}
        onChange={(attention) => change({ attention })}
        options={[{ value: 'any', label: t.needsAttention }, ...optionsOf(REASONS)]}
      />
      <AccountFilters search={search} onChange={change} />
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
