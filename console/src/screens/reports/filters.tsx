import { TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AccountFilters } from '../../components/accounts/account-filters';
import { useClientOptions, usePartnerOptions } from '../../components/accounts/account-options';
import { FilterForm, FilterText, MoreFilters } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import * as texts from '../../texts';
import type { ReportsSearch } from './reports-search';

const route = getRouteApi('/reports');
const t = texts.reports;

/**
 * The period, the grouping and the filters of a report. They are in the address.
 * @param props.saved what a view keeps: without the days of the period that the address does not have
 */
export function Filters(props: { readonly search: ReportsSearch; readonly saved: ReportsSearch }) {
  const { search } = props;
  const navigate = route.useNavigate();
  const change = (changed: ReportsSearch) => navigate({ search: { ...search, ...changed } });
  const apply = (form: FormData) => {
    // The fields are there while the filters are open.
    if (!form.has('carrierUid')) return;
    void change({
      carrierUid: textOf(form, 'carrierUid') ?? undefined,
      productUid: textOf(form, 'productUid') ?? undefined,
    });
  };
  const accounts = [...useClientOptions(), ...usePartnerOptions()];
  const nameOf = (id: string | undefined) => accounts.find(({ value }) => value === id)?.label ?? id;
  const chip = (label: string, name: keyof ReportsSearch, value: string | undefined) => ({
    label,
    value,
    onRemove: () => void change({ [name]: undefined }),
  });
  const chips = [
    chip(texts.orders.client, 'clientId', nameOf(search.clientId)),
    chip(texts.orders.partner, 'partnerId', nameOf(search.partnerId)),
    chip(t.carrier, 'carrierUid', search.carrierUid),
    chip(t.product, 'productUid', search.productUid),
  ];
  const day = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={t[name]}
      value={search[name] ?? ''}
      onChange={(event) => change({ [name]: event.currentTarget.value || undefined })}
    />
  );
  return (
    <FilterForm onSubmit={apply}>
      {day('from')}
      {day('to')}
      <Select
        label={t.by}
        value={search.by ?? 'day'}
        onChange={(by) => change({ by })}
        options={optionsOf(t.dimensions)}
      />
      <Select
        label={t.chart}
        value={search.chart ?? 'orders'}
        onChange={(chart) => change({ chart })}
        options={optionsOf(t.measures)}
      />
      <MoreFilters chips={chips} to="/reports" search={props.saved}>
        <AccountFilters search={search} onChange={change} />
        <FilterText name="carrierUid" label={t.carrier} value={search.carrierUid} width={200} />
        <FilterText name="productUid" label={t.product} value={search.productUid} width={200} />
      </MoreFilters>
    </FilterForm>
  );
}
