import { getRouteApi } from '@tanstack/react-router';
import { usePartnerOptions } from '../../components/accounts/account-options';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import * as texts from '../../texts';
import { Levels } from './levels';
import { Movements } from './movements';
import { ProcurementOrder } from './procurement-order';
import { ProcurementOrders } from './procurement-orders';
import type { StockSearch } from './stock-search';

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
  const change = (changed: StockSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ sku: textOf(form, 'sku') ?? undefined })}>
      <Select
        label={t.partner}
        none={t.allPartners}
        value={search.partnerId}
        onChange={(partnerId) => change({ partnerId })}
        options={usePartnerOptions()}
      />
      <FilterText name="sku" label={t.sku} value={search.sku} width={240} />
      <Select
        label={t.alert}
        none={t.anyLevel}
        value={search.alert}
        onChange={(alert) => change({ alert })}
        options={[
          { value: 'any', label: t.anyAlert },
          ...optionsOf(t.alerts),
          { value: 'report_differs', label: t.reportDiffers },
        ]}
      />
    </FilterForm>
  );
}
