import { NativeSelect } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { FilterForm, FilterText } from '../../components/filter-form';
import { textOf } from '../../components/form-fields';
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
  const change = (changed: ShipmentsSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ q: textOf(form, 'q') ?? undefined })}>
      <FilterText name="q" label={t.search} value={search.q} width={360} placeholder={t.placeholder} />
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
    </FilterForm>
  );
}
