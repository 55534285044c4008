import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { FormDialog } from '../../components/forms/form-dialog';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Preview } from '../../components/values/preview';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { CatalogSearch } from './catalog-search';
import type { CustomerProduct, ProductModel } from './types';

const t = texts.catalog;
const PAGE = 25;
/** Stands for every customer in the API. */
const ALL_CUSTOMERS = '*';

const columnsOf = (models: readonly ProductModel[]): readonly Column<CustomerProduct>[] => {
  const modelOf = ({ productModelId }: CustomerProduct) => models.find(({ id }) => id === productModelId);
  return [
    {
      name: t.productColumns.preview,
      cell: (product) => <Preview url={modelOf(product)?.previewURL} name={product.name} />,
    },
    {
      name: t.productColumns.name,
      cell: ({ id, name }) => (
        <Stack gap={0}>
          <span>{name}</span>
          <Text size="xs" c="dimmed">
            {id}
          </Text>
        </Stack>
      ),
    },
    {
      name: t.productColumns.model,
      cell: (product) => (
        <Link to="/catalog" search={{ model: product.productModelId }}>
          {modelOf(product)?.name ?? product.productModelId}
        </Link>
      ),
    },
    {
      name: t.productColumns.customers,
      cell: ({ customerIds }) => customerIds.map((id) => (id === ALL_CUSTOMERS ? t.allCustomers : id)).join(', '),
    },
    {
      name: t.productColumns.options,
      cell: ({ variantOptions }) =>
        variantOptions.length === 0 ? (
          texts.common.none
        ) : (
          <Stack gap={2}>
            {variantOptions.map(({ id, name, values }) => (
              <Text key={id} size="xs">
                {t.option(name, values)}
              </Text>
            ))}
          </Stack>
        ),
    },
    {
      name: t.productColumns.state,
      cell: ({ state }) => <Badge tone={t.productStates[state].tone}>{t.productStates[state].text}</Badge>,
    },
    { name: t.productColumns.changed, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

const filtersOf = ({ q, state, model }: CatalogSearch) => ({ search: q, state, productModelIds: model });

/** Returns the query of the customer products, newest first. Their pages have offsets. */
const productsOf = (search: CatalogSearch) =>
  readPages(
    'listCustomerProducts',
    { query: { ...filtersOf(search), limit: PAGE } },
    ({ meta: { offset, total }, customerProducts }) =>
      customerProducts.length === PAGE && offset + PAGE < total ? { offset: offset + PAGE } : null,
  );

/** What clients sell. A product is archived and published again here. */
export function CustomerProducts(props: { readonly search: CatalogSearch; readonly models: readonly ProductModel[] }) {
  const query = useInfiniteQuery(productsOf(props.search));
  const mayChange = useMay('operator');
  const [changed, setChanged] = useState<CustomerProduct | null>(null);
  const buttons: Column<CustomerProduct> = {
    name: texts.common.actions,
    cell: (product) => (
      <Button size="compact-xs" variant="default" onClick={() => setChanged(product)}>
        {product.state === 'archived' ? t.publish : t.archive}
      </Button>
    ),
  };
  const columns = columnsOf(props.models);
  return (
    <Section
      title={t.products}
      actions={
        <ExportCsv operation="listCustomerProducts" input={{ query: { ...filtersOf(props.search), format: 'csv' } }} />
      }
    >
      <PagedTable
        label={t.products}
        query={query}
        rowsOf={({ customerProducts }) => customerProducts}
        columns={mayChange ? [...columns, buttons] : columns}
        keyOf={({ id }) => id}
        empty={{ title: t.emptyProducts, text: t.emptyProductsText }}
        caption={(rows, { meta: { total, totalIsEstimate = false } }) => (
          <Text size="sm" c="dimmed">
            {t.shown(rows.length, total, totalIsEstimate)}
          </Text>
        )}
      />
      <FormDialog content={changed && stateChangeOf(changed)} onClose={() => setChanged(null)} />
    </Section>
  );
}

/** Returns the dialog that archives a published product, and publishes an archived one. */
function stateChangeOf({ id, name, state }: CustomerProduct) {
  const isArchived = state === 'archived';
  return {
    title: isArchived ? t.publish : t.archive,
    explanation: isArchived ? t.publishExplanation(name) : t.archiveExplanation(name),
    button: isArchived ? t.publishButton : t.archiveButton,
    changeOf: () =>
      change('updateCustomerProduct', {
        params: { id },
        body: { state: isArchived ? 'published' : 'archived' },
      }),
  };
}
