import { SimpleGrid, Stack, Text } from '@mantine/core';
import { change } from '../../api/changes';
import type { ApiResponse, Input } from '../../api/types';
import { TextField } from '../../components/forms/field-faults';
import type { FormDialogContent } from '../../components/forms/form-dialog';
import { textOf } from '../../components/forms/form-values';
import { ProductChoice } from '../../components/forms/product-choice';
import * as texts from '../../texts';

export type Mapping = ApiResponse<'listChannelMappings'>['mappings'][number];
type Body = NonNullable<Input<'storeChannelMapping'>['body']>;
type Target = Pick<Body, 'productUid' | 'productName' | 'productVariant' | 'ignore'>;

const t = texts.channels.map;

/** Returns the product of a mapping in words. */
export function productOf({ ignore, productUid, productName, productVariant }: Target): string {
  if (ignore) return texts.channels.mappings.ignored;
  return productUid ?? [productName, ...Object.values(productVariant ?? {})].join(', ');
}

/** Returns the dialog that says what a product of the shop is here. @param mapping that it replaces */
export function mapProduct(
  channelId: string,
  external: { readonly sku: string } | { readonly variantId: string },
  mapping: Mapping | null,
): FormDialogContent {
  const { optionFields, fileFields, files } = mapping ?? {};
  return {
    title: t.title,
    size: 'xl',
    explanation: t.explanation('sku' in external ? external.sku : external.variantId),
    button: t.button,
    fields: <Fields mapping={mapping} />,
    changeOf: ({ form }) => {
      const target = textOf(form, 'target');
      if (target === null) throw new Error(t.choose);
      const file = textOf(form, 'files.default');
      const { default: _, ...otherFiles } = files ?? {};
      const body: Body = {
        ...external,
        ...(optionFields === undefined ? {} : { optionFields }),
        ...(fileFields === undefined ? {} : { fileFields }),
        files: { ...otherFiles, ...(file === null ? {} : { default: file }) },
        quantityFactor: Number(textOf(form, 'quantityFactor') ?? 1),
        ...(JSON.parse(target) as Target),
      };
      return change('storeChannelMapping', { params: { channelId }, body });
    },
    result: (stored) => t.released((stored as ApiResponse<'storeChannelMapping'>).released),
  };
}

function Fields({ mapping }: { readonly mapping: Mapping | null }) {
  return (
    <Stack>
      {mapping === null ? null : <Text size="sm">{t.now(productOf(mapping))}</Text>}
      <ProductChoice
        name="target"
        before={mapping === null ? null : targetIn(mapping)}
        other={{ label: t.ignore, value: { ignore: true } }}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextField name="files.default" type="url" label={t.file} defaultValue={mapping?.files?.default ?? ''} />
        <TextField
          name="quantityFactor"
          type="number"
          min={1}
          label={t.factor}
          defaultValue={mapping?.quantityFactor ?? 1}
        />
      </SimpleGrid>
    </Stack>
  );
}

const targetIn = ({ productUid, productName, productVariant, ignore }: Target): Target => ({
  productUid,
  productName,
  productVariant,
  ignore,
});
