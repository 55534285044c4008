import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/queries';
import { FilterForm, FilterText } from '../../components/filter-form';
import { textOf } from '../../components/form-fields';
import { Screen } from '../../components/screen';
import { texts } from '../../texts';
import { CustomerProducts } from './customer-products';
import { ProductModels } from './product-models';
import { type CatalogSearch, PRODUCT_STATES, type ProductState } from './search';

const route = getRouteApi('/catalog');
const t = texts.catalog;

export function CatalogScreen() {
  const search = route.useSearch();
  const models = useQuery(read('listProductModels', {}));
  return (
    <Screen title={t.title}>
      <Filters search={search} models={models.data?.productModels ?? []} />
      <CustomerProducts search={search} models={models.data?.productModels ?? []} />
      <ProductModels query={models} />
    </Screen>
  );
}

function Filters(props: {
  readonly search: CatalogSearch;
  readonly models: readonly { readonly id: string; readonly name: string }[];
}) {
  const { search, models } = props;
  const navigate = route.useNavigate();
  const change = (changed: CatalogSearch) => navigate({ search: { ...search, ...changed } });
  return (
    <FilterForm onSubmit={(form) => void change({ q: textOf(form, 'q') ?? undefined })}>
      <FilterText name="q" label={t.search} value={search.q} width={280} placeholder={t.placeholder} />
      <NativeSelect
        label={t.state}
        value={search.state ?? 'published'}
        onChange={(event) => change({ state: event.currentTarget.value as ProductState })}
        data={PRODUCT_STATES.map((value) => ({ value, label: t.productStates[value].text }))}
      />
      <NativeSelect
        label={t.model}
        value={search.model ?? ''}
        onChange={(event) => change({ model: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: t.allModels },
          ...models.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </FilterForm>
  );
}
