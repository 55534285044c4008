import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { read } from '../../api/queries';
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
  const [sku, setSku] = useState(search.sku ?? '');
  // A link to this screen changes the SKU without a new screen.
  useEffect(() => setSku(search.sku ?? ''), [search.sku]);
  const change = (changed: StockSearch) => navigate({ search: { ...search, ...changed } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void change({ sku: sku.trim() || undefined });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t.partner}
          value={search.partnerId ?? ''}
          onChange={(event) => change({ partnerId: event.currentTarget.value || undefined })}
          data={[
            { value: '', label: t.allPartners },
            ...(partners.data?.partners ?? []).map(({ id, uid }) => ({ value: id, label: uid })),
          ]}
        />
        <TextInput
          type="search"
          label={t.sku}
          w={240}
          value={sku}
          onChange={(event) => setSku(event.currentTarget.value)}
        />
        <NativeSelect
          label={t.alert}
          value={search.alert ?? ''}
          onChange={(event) =>
            change({ alert: (event.currentTarget.value || undefined) as Alert | undefined })
          }
          data={[
            { value: '', label: t.anyLevel },
            ...ALERTS.map((value) => ({
              value,
              label: value === 'any' ? t.anyAlert : t.alerts[value].text,
            })),
          ]}
        />
        <button type="submit" hidden />
      </Group>
    </form>
  );
}
