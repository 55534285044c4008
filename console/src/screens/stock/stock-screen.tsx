import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/queries';
import { FilterForm, FilterText } from '../../components/filter-form';
import { textOf } from '../../components/form-fields';
import { Screen } from '../../components/screen';
import { texts } from '../../texts';
import { Levels } from './levels';
import { Movements } from './movements';
import { ProcurementOrder } from './procurement-order';
import { ProcurementOrders } from './procurement-orders';
import { ALERTS, type Alert, type StockSearch } from './search';

const route = getRouteApi('/stock');
const t = texts.stock;

export function StockScreen() {
  const search = route.useSearch();
  const { partnerId, sku, procurementOrder } = search;
  return (
    <Screen title={t.title}>
      {procurementOrder === undefined ? null : <ProcurementOrder orderId={procurementOrder} />}
      <Filters search={search} />
      {partnerId === undefined || sku === undefined ? null : <Movements partnerId={partnerId} sku={sku} />}
      <Levels search={search} />
      <ProcurementOrders search={search} />
    </Screen>
  );
}

function Filters({ search }: { readonly search: StockSearch }) {
  const navigate = route.useNavigate();
  const partners = useQuery(read('listPartners', {}));
  const change = (changed: StockSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ sku: textOf(form, 'sku') ?? undefined })}>
      <NativeSelect
        label={t.partner}
        value={search.partnerId ?? ''}
        onChange={(event) => change({ partnerId: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: t.allPartners },
          ...(partners.data?.partners ?? []).map(({ id, uid }) => ({ value: id, label: uid })),
        ]}
      />
      <FilterText name="sku" label={t.sku} value={search.sku} width={240} />
      <NativeSelect
        label={t.alert}
        value={search.alert ?? ''}
        onChange={(event) => change({ alert: (event.currentTarget.value || undefined) as Alert | undefined })}
        data={[
          { value: '', label: t.anyLevel },
          ...ALERTS.map((value) => ({
            value,
            label: value === 'any' ? t.anyAlert : t.alerts[value].text,
          })),
        ]}
      />
    </FilterForm>
  );
}
