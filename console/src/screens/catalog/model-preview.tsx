import { Group, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { read } from '../../api/queries';
import type { ApiResponse, Input } from '../../api/types';
import { QueryContent } from '../../components/layout/query-content';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Differences } from '../../components/values/differences';
import { moneyOf } from '../../components/values/money';
import * as texts from '../../texts';
import type { ProductModel } from './types';

/** A change of a product model. */
export type ModelChange = NonNullable<Input<'updateProductModel'>['body']>;
type Variant = ApiResponse<'previewProductModel'>['variants'][number];

const t = texts.catalog.variants;
/** Time without a change after which the preview is read. */
const PAUSE_MS = 400;

const previewOf = (id: string, body: ModelChange) => ({
  ...read('previewProductModel', { params: { id }, body }),
  refetchInterval: false as const,
});

/** Fields that change a product model, with what the change does: the values that differ, and the prices of variants. */
export function PreviewedFields(props: {
  readonly model: ProductModel;
  /** Returns the change that the form holds. */
  readonly changeOf: (form: FormData) => ModelChange;
  /** True: prices are shown also while none differs. */
  readonly withPrices?: boolean;
  readonly children: ReactNode;
}) {
  const { model, changeOf, withPrices = false, children } = props;
  const [body, setBody] = useState<ModelChange>({});
  const frame = useRef<HTMLDivElement>(null);
  const follow = useDebouncedCallback(() => {
    const form = frame.current?.closest('form');
    if (form?.checkValidity()) setBody(changeOf(new FormData(form)));
  }, PAUSE_MS);
  const query = useQuery({ ...previewOf(model.id, body), placeholderData: keepPreviousData });
  return (
    <Stack ref={frame} onInput={follow} onClick={follow}>
      {children}
      {query.error === null ? (
        <QueryContent query={query} lines={2}>
          {({ before, after, variants, total }) => (
            <>
              <Differences before={before} after={after} />
              {withPrices || variants.some(differs) ? (
                <VariantTable model={model} variants={variants} total={total} />
              ) : null}
            </>
          )}
        </QueryContent>
      ) : (
        <Text size="sm" c="dimmed">
          {t.refused}
        </Text>
      )}
    </Stack>
  );
}

const differs = ({ prices }: Variant) => Object.values(prices).some(({ before, after }) => before !== after);

function PriceOf({ of, currency }: { readonly of: Variant['prices'][string] | undefined; readonly currency: string }) {
  const textOf = (price: number | null = null) => (price === null ? t.notOffered : moneyOf(price, currency));
  if (of === undefined || of.before === of.after) return textOf(of?.after);
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Text size="sm" c="dimmed" td="line-through">
        {textOf(of.before)}
      </Text>
      <Text size="sm" fw={600}>
        {textOf(of.after)}
      </Text>
    </Group>
  );
}

function VariantTable(props: {
  readonly model: ProductModel;
  readonly variants: readonly Variant[];
  readonly total: number;
}) {
  const { model, variants, total } = props;
  const attributes = Object.keys(variants[0]?.values ?? {}).map(
    (id) => model.attributes.find((attribute) => attribute.id === id) ?? { id, description: id, values: [] },
  );
  const currencies = Object.keys(variants[0]?.prices ?? {});
  const columns: Column<Variant>[] = [
    ...attributes.map(({ id, description, values }) => ({
      name: description,
      cell: (variant: Variant) => {
        const chosen = variant.values[id]!;
        return values.find((value) => value.id === chosen)?.description ?? chosen;
      },
    })),
    ...currencies.map((currency) => ({
      name: currency,
      numeric: true,
      cell: ({ prices }: Variant) => <PriceOf of={prices[currency]} currency={currency} />,
    })),
  ];
  return (
    <>
      <Text size="sm" c="dimmed">
        {t.explanation(variants.length, total)}
      </Text>
      {currencies.length === 0 ? null : (
        <DataTable
          label={t.title}
          columns={columns}
          rows={variants}
          keyOf={({ values }) => JSON.stringify(values)}
          isDense
        />
      )}
    </>
  );
}

/** What one unit of each variant of a product model costs now. */
export function VariantPrices({ model }: { readonly model: ProductModel }) {
  return (
    <QueryContent query={useQuery(previewOf(model.id, {}))} lines={3}>
      {({ variants, total }) => <VariantTable model={model} variants={variants} total={total} />}
    </QueryContent>
  );
}
