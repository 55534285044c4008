import { Button, Code, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, call } from '../../api/call';
import { useMay } from '../../api/session';
import { ActDialog } from '../../components/act-dialog';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { texts } from '../../texts';
import { Preview } from './preview';
import styles from './product-models.module.css';

export type ProductModel = Answer<'listProductModels'>['productModels'][number];

const t = texts.catalog;

const COLUMNS: readonly Column<ProductModel>[] = [
  {
    name: t.modelColumns.preview,
    cell: ({ previewURL, name }) => <Preview url={previewURL} name={name} />,
  },
  {
    name: t.modelColumns.name,
    cell: ({ id, name }) => (
      <Stack gap={0}>
        <Link to="/catalog" search={{ model: id }}>
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
    cell: ({ attributes }) => attributes.map(({ description, id }) => description || id).join(', '),
  },
  {
    name: t.modelColumns.parts,
    cell: ({ parts }) =>
      parts.map(({ name, quantity }) => t.part(name, quantity)).join(', ') || texts.common.none,
  },
  {
    name: t.modelColumns.state,
    cell: ({ state }) => <Badge tone={t.modelStates[state].tone}>{t.modelStates[state].text}</Badge>,
  },
];

/** What customer products are made of. */
export function ProductModels({
  query,
}: {
  readonly query: {
    readonly data: Answer<'listProductModels'> | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
}) {
  const mayChange = useMay('operator');
  const [changed, setChanged] = useState<ProductModel | null>(null);
  const act: Column<ProductModel> = {
    name: t.modelColumns.act,
    cell: (model) => (
      <Button size="compact-xs" variant="default" onClick={() => setChanged(model)}>
        {model.state === 'active' ? t.deactivate : t.activate}
      </Button>
    ),
  };
  return (
    <Section
      title={t.models}
      actions={<ExportCsv operation="listProductModels" input={{ query: { format: 'csv' } }} />}
    >
      <Loaded query={query}>
        {({ productModels }) =>
          productModels.length === 0 ? (
            <Empty title={t.emptyModels} text={t.emptyModelsText} />
          ) : (
            <DataTable
              label={t.models}
              columns={mayChange ? [...COLUMNS, act] : COLUMNS}
              rows={productModels}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <ActDialog act={changed && changeOf(changed)} onClose={() => setChanged(null)} />
    </Section>
  );
}

/** Returns the dialog that deactivates an active product model, and activates any other. */
function changeOf({ id, name, state }: ProductModel) {
  const isActive = state === 'active';
  return {
    title: isActive ? t.deactivate : t.activate,
    explanation: isActive ? t.deactivateExplanation(name) : t.activateExplanation(name),
    button: isActive ? t.deactivateButton : t.activateButton,
    run: () =>
      call('updateProductModel', { params: { id }, body: { state: isActive ? 'inactive' : 'active' } }),
  };
}
