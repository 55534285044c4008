import { TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AccountFilters } from '../../components/accounts/account-filters';
import { useClientOptions, usePartnerOptions } from '../../components/accounts/account-options';
import { FilterForm, FilterText, MoreFilters } from '../../components/forms/filter-form';
import { textOf, wordsOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { dayOf, dayTextOf, startOfDay } from '../../components/values/days';
import * as texts from '../../texts';
import { ORDER_STATUSES, REASONS } from '../../texts/names';
import type { OrdersSearch } from './orders-search';

const route = getRouteApi('/orders');
const t = texts.orders;
const ATTENTION_OPTIONS = [{ value: 'any' as const, label: t.needsAttention }, ...optionsOf(REASONS)];

const labelOf = (options: readonly { readonly value: string; readonly label: string }[], value: string | undefined) =>
  value === undefined ? undefined : (options.find((option) => option.value === value)?.label ?? value);

/** The search field and the filters of the list. They are in the address. */
export function Filters({ search }: { readonly search: OrdersSearch }) {
  const navigate = route.useNavigate();
  const change = (changed: OrdersSearch) => navigate({ search: { ...search, ...changed } });
  const apply = (form: FormData) => {
    const q = textOf(form, 'q') ?? undefined;
    // The field of the country is there while the filters are open.
    if (!form.has('country')) void change({ q });
    else void change({ q, country: wordsOf(textOf(form, 'country')).join(',').toUpperCase() || undefined });
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
  /** Returns the chip of a filter. */
  const chip = (label: string, name: keyof OrdersSearch, value: string | undefined) => ({
    label,
    value,
    onRemove: () => void change({ [name]: undefined }),
  });
  const chips = [
    chip(t.status, 'status', search.status === undefined ? undefined : ORDER_STATUSES[search.status].text),
    chip(t.attention, 'attention', labelOf(ATTENTION_OPTIONS, search.attention)),
    chip(t.client, 'clientId', labelOf(useClientOptions(), search.clientId)),
    chip(t.partner, 'partnerId', labelOf(usePartnerOptions(), search.partnerId)),
    chip(t.country, 'country', search.country),
    chip(t.method, 'method', search.method),
    chip(t.from, 'createdFrom', dayTextOf(search.createdFrom)),
    chip(t.to, 'createdTo', dayTextOf(search.createdTo)),
  ];
  return (
    <FilterForm onSubmit={apply}>
      <FilterText name="q" label={t.search} value={search.q} width={360} placeholder={t.placeholder} />
      <MoreFilters chips={chips} to="/orders" search={search}>
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
          options={ATTENTION_OPTIONS}
        />
        <AccountFilters search={search} onChange={change} />
        <FilterText
          name="country"
          label={t.country}
          value={search.country}
          width={160}
          placeholder={t.countryPlaceholder}
          type="text"
        />
        {day(t.from, 'createdFrom')}
        {day(t.to, 'createdTo')}
      </MoreFilters>
    </FilterForm>
  );
}
