import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { read } from '../../api/queries';
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
  const [text, setText] = useState(search.q ?? '');
  const change = (changed: CatalogSearch) => navigate({ search: { ...search, ...changed } });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void change({ q: text.trim() || undefined });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label={t.search}
          placeholder={t.placeholder}
          w={280}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
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
        <button type="submit" hidden />
      </Group>
    </form>
  );
}
