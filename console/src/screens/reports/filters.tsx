import { TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { AccountFilters } from '../../components/accounts/account-filters';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { texts } from '../../texts';
import type { ReportsSearch } from './reports-search';

const route = getRouteApi('/reports');
const t = texts.reports;

/** The period, the grouping and the filters of a report. They are in the address. */
export function Filters({ search }: { readonly search: ReportsSearch }) {
  const navigate = route.useNavigate();
  const change = (changed: ReportsSearch) => navigate({ search: { ...search, ...changed } });
  const apply = (form: FormData) =>
    void change({
      carrierUid: textOf(form, 'carrierUid') ?? undefined,
      productUid: textOf(form, 'productUid') ?? undefined,
    });
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
      <AccountFilters search={search} onChange={change} />
      <FilterText name="carrierUid" label={t.carrier} value={search.carrierUid} width={128} />
      <FilterText name="productUid" label={t.product} value={search.productUid} width={200} />
    </FilterForm>
  );
}
