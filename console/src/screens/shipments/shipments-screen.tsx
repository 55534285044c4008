import { getRouteApi } from '@tanstack/react-router';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import * as texts from '../../texts';
import { PARCEL_STATUSES } from '../../texts/names';
import { Parcels } from './parcels';
import type { ShipmentsSearch } from './shipments-search';
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
  const change = (changed: ShipmentsSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ q: textOf(form, 'q') ?? undefined })}>
      <FilterText name="q" label={t.search} value={search.q} width={360} placeholder={t.placeholder} />
      <Select
        label={t.problem}
        none={t.anyProblem}
        value={search.problem}
        onChange={(problem) => change({ problem })}
        options={[{ value: 'true', label: t.onlyProblems }]}
      />
      <Select
        label={t.status}
        none={t.allStatuses}
        value={search.status}
        onChange={(status) => change({ status })}
        options={optionsOf(PARCEL_STATUSES)}
      />
    </FilterForm>
  );
}
