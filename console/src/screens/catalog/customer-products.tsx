import { Button, Stack, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, call } from '../../api/call';
import { useMay } from '../../api/session';
import { ActDialog } from '../../components/act-dialog';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import { Preview } from './preview';
import type { ProductModel } from './product-models';
import type { CatalogSearch } from './search';

type Product = Answer<'listCustomerProducts'>['customerProducts'][number];

const t = texts.catalog;
const PAGE = 25;
/** Stands for every customer in the API. */
const ALL_CUSTOMERS = '*';

const columnsOf = (models: readonly ProductModel[]): readonly Column<Product>[] => {
  const modelOf = ({ productModelId }: Product) => models.find(({ id }) => id === productModelId);
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
      cell: ({ customerIds }) =>
        customerIds.map((id) => (id === ALL_CUSTOMERS ? t.allCustomers : id)).join(', '),
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
function productsOf(search: CatalogSearch) {
  const filters = filtersOf(search);
  return infiniteQueryOptions({
    queryKey: ['listCustomerProducts', filters],
    queryFn: ({ signal, pageParam: offset }) =>
      call(
        'listCustomerProducts',
        { query: { ...filters, offset: String(offset), limit: String(PAGE) } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ meta: { offset, total }, customerProducts }) =>
      customerProducts.length === PAGE && offset + PAGE < total ? offset + PAGE : null,
  });
}

/** What clients sell. A product is archived and published again here. */
export function CustomerProducts(props: {
  readonly search: CatalogSearch;
  readonly models: readonly ProductModel[];
}) {
  const query = useInfiniteQuery(productsOf(props.search));
  const mayChange = useMay('operator');
  const [changed, setChanged] = useState<Product | null>(null);
  const act: Column<Product> = {
    name: t.productColumns.act,
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
        <ExportCsv
          operation="listCustomerProducts"
          input={{ query: { ...filtersOf(props.search), format: 'csv' } }}
        />
      }
    >
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ customerProducts }) => customerProducts);
          const { total, totalIsEstimate = false } = pages[0]!.meta;
          if (rows.length === 0) return <Empty title={t.emptyProducts} text={t.emptyProductsText} />;
          return (
            <>
              <Text size="sm" c="dimmed">
                {t.shown(rows.length, total, totalIsEstimate)}
              </Text>
              <DataTable
                label={t.products}
                columns={mayChange ? [...columns, act] : columns}
                rows={rows}
                keyOf={({ id }) => id}
              />
            </>
          );
        }}
      </Loaded>
      <LoadMore {...query} />
      <ActDialog act={changed && changeOf(changed)} onClose={() => setChanged(null)} />
    </Section>
  );
}

/** Returns the dialog that archives a published product, and publishes an archived one. */
function changeOf({ id, name, state }: Product) {
  const isArchived = state === 'archived';
  return {
    title: isArchived ? t.publish : t.archive,
    explanation: isArchived ? t.publishExplanation(name) : t.archiveExplanation(name),
    button: isArchived ? t.publishButton : t.archiveButton,
    run: () =>
      call('updateCustomerProduct', {
        params: { id },
        body: { state: isArchived ? 'published' : 'archived' },
      }),
  };
}
