import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { read } from '../../api/queries';
import { FilterForm, FilterText } from '../../components/forms/filter-form';
import { textOf } from '../../components/forms/form-values';
import { optionsOf, Select } from '../../components/forms/select';
import { Screen } from '../../components/layout/screen';
import * as texts from '../../texts';
import { Attributes } from './attributes';
import type { CatalogSearch } from './catalog-search';
import { CustomerProducts } from './customer-products';
import { ProductModels } from './product-models';

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
      <Attributes />
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
      <Select
        label={t.state}
        value={search.state ?? 'published'}
        onChange={(state) => change({ state })}
        options={optionsOf(t.productStates)}
      />
      <Select
        label={t.model}
        none={t.allModels}
        value={search.model}
        onChange={(model) => change({ model })}
        options={models.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </FilterForm>
  );
}
