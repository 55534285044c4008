import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { change } from '../../api/changes';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { FormDialog, type FormDialogContent } from '../../components/forms/form-dialog';
import type { QueryResult } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Preview } from '../../components/values/preview';
import * as texts from '../../texts';
import { needsChangeOf } from './edit-needs';
import { AddModel } from './model-form';
import { ChangePrices, Prices } from './prices';
import styles from './product-models.module.css';
import type { ProductModel } from './types';

const t = texts.catalog;

export const MODEL_COLUMNS: readonly Column<ProductModel>[] = [
  {
    name: t.modelColumns.preview,
    cell: ({ previewURL, name }) => <Preview url={previewURL} name={name} />,
  },
  {
    name: t.modelColumns.name,
    cell: ({ id, name }) => (
      <Stack gap={0}>
        <Link to="/catalog/models/$modelId" params={{ modelId: id }}>
          {name}
        </Link>
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </Stack>
    ),
  },
  {
    name: t.modelColumns.template,
    cell: ({ productUidTemplate }) => <Code className={styles.template!}>{productUidTemplate}</Code>,
  },
  {
    name: t.modelColumns.attributes,
    cell: ({ attributes }) =>
      attributes
        .map(({ description, id, values, valueIds }) =>
          valueIds == null
            ? description || id
            : t.option(
                description || id,
                values.map((value) => value.description ?? value.id),
              ),
        )
        .join('; '),
  },
  {
    name: t.modelColumns.parts,
    cell: ({ parts }) => parts.map(({ name, quantity }) => t.part(name, quantity)).join(', ') || texts.common.none,
  },
  { name: t.modelColumns.prices, cell: (model) => <Prices of={model} /> },
  {
    name: t.modelColumns.state,
    cell: ({ state }) => <Badge tone={t.modelStates[state].tone}>{t.modelStates[state].text}</Badge>,
  },
];

/** The buttons that change a product model. */
export function ModelActions({ model, size }: { readonly model: ProductModel; readonly size: 'xs' | 'compact-xs' }) {
  const [changed, setChanged] = useState<FormDialogContent | null>(null);
  return (
    <>
      <ChangePrices model={model} size={size} />
      <Button size={size} variant="default" onClick={() => setChanged(stateChangeOf(model))}>
        {model.state === 'active' ? t.deactivate : t.activate}
      </Button>
      {(model.production?.printAreas ?? []).length === 0 ? null : (
        <Button
          size={size}
          variant="default"
          aria-label={t.needs.label(model.name)}
          onClick={() => setChanged(needsChangeOf(model))}
        >
          {t.needs.edit}
        </Button>
      )}
      <FormDialog content={changed} onClose={() => setChanged(null)} />
    </>
  );
}

/** What customer products are made of. */
export function ProductModels({ query }: { readonly query: QueryResult<ApiResponse<'listProductModels'>> }) {
  const mayChange = useMay('operator');
  const buttons: Column<ProductModel> = {
    name: texts.common.actions,
    cell: (model) => (
      <Group gap={4}>
        <ModelActions model={model} size="compact-xs" />
      </Group>
    ),
  };
  return (
    <Section
      title={t.models}
      actions={
        <Group gap="xs">
          {mayChange ? <AddModel models={query.data?.productModels ?? []} /> : null}
          <ExportCsv operation="listProductModels" input={{ query: { format: 'csv' } }} />
        </Group>
      }
    >
      <PagedTable
        label={t.models}
        query={onePage(query)}
        rowsOf={({ productModels }) => productModels}
        columns={mayChange ? [...MODEL_COLUMNS, buttons] : MODEL_COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.emptyModels, text: t.emptyModelsText }}
      />
    </Section>
  );
}

/** Returns the dialog that deactivates an active product model, and activates any other. */
function stateChangeOf({ id, name, state }: ProductModel): FormDialogContent {
  const isActive = state === 'active';
  return {
    title: isActive ? t.deactivate : t.activate,
    explanation: isActive ? t.deactivateExplanation(name) : t.activateExplanation(name),
    button: isActive ? t.deactivateButton : t.activateButton,
    changeOf: () => change('updateProductModel', { params: { id }, body: { state: isActive ? 'inactive' : 'active' } }),
  };
}
