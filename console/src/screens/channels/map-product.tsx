import { Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import type { ApiResponse, Input } from '../../api/types';
import { TextField } from '../../components/forms/field-faults';
import type { FormDialogContent } from '../../components/forms/form-dialog';
import { textOf } from '../../components/forms/form-values';
import { Select } from '../../components/forms/select';
import { Preview } from '../../components/values/preview';
import * as texts from '../../texts';

export type Mapping = ApiResponse<'listChannelMappings'>['mappings'][number];
type Body = NonNullable<Input<'storeChannelMapping'>['body']>;
type Target = Pick<Body, 'productUid' | 'productName' | 'productVariant' | 'ignore'>;

const t = texts.channels.map;
/** Products that the search shows of each kind. */
const HITS = 6;
const DEBOUNCE_MS = 200;
const IGNORE = 'ignore';

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

/** A product that the search has found, with the choices that make it one that can be printed. */
interface Hit {
  readonly key: string;
  readonly name: string;
  readonly previewURL: string | undefined;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly value: string | undefined;
    readonly values: readonly { readonly value: string; readonly label: string }[];
  }[];
  readonly targetOf: (chosen: Readonly<Record<string, string>>) => Target;
}

/** Returns the products of clients and the product models whose names have a text. */
function useHits(text: string): readonly Hit[] {
  const models = useQuery({ ...read('listProductModels', {}), refetchInterval: false }).data?.productModels ?? [];
  const products = useQuery({
    ...read('listCustomerProducts', { query: { search: text, state: 'published', limit: HITS } }),
    refetchInterval: false,
    placeholderData: keepPreviousData,
  });
  const ofClients = (products.data?.customerProducts ?? []).map(({ id, name, productModelId, variantOptions }) => ({
    key: id,
    name,
    previewURL: models.find((model) => model.id === productModelId)?.previewURL,
    options: variantOptions.map((option) => ({
      id: option.name,
      name: option.name,
      value: option.defaultValue ?? option.values[0],
      values: option.values.map((value) => ({ value, label: value })),
    })),
    targetOf: (productVariant: Readonly<Record<string, string>>) => ({ productName: name, productVariant }),
  }));
  const wanted = text.toLowerCase();
  const ofModels = models
    .filter(({ name, sellable }) => sellable && name.toLowerCase().includes(wanted))
    .slice(0, HITS)
    .map(({ id, name, previewURL, attributes, productUidTemplate }) => ({
      key: id,
      name,
      previewURL,
      options: attributes.map((attribute) => ({
        id: attribute.id,
        name: attribute.description || attribute.id,
        value: attribute.defaultValueId ?? attribute.values[0]?.id,
        values: attribute.values.map((value) => ({ value: value.id, label: value.description ?? value.id })),
      })),
      targetOf: (chosen: Readonly<Record<string, string>>) => ({
        productUid: productUidTemplate.replace(/\{(\w+)\}/g, (_whole, attribute: string) => chosen[attribute] ?? ''),
      }),
    }));
  return [...ofClients, ...ofModels];
}

function Fields({ mapping }: { readonly mapping: Mapping | null }) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, DEBOUNCE_MS);
  const hits = useHits(search);
  const [key, setKey] = useState('');
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const hit = hits.find((each) => each.key === key);
  const values = Object.fromEntries(
    (hit?.options ?? []).map(({ id, value }) => [id, chosen[`${key} ${id}`] ?? value ?? '']),
  );
  const target = key === IGNORE ? { ignore: true } : (hit?.targetOf(values) ?? mapping);
  return (
    <Stack>
      {mapping === null ? null : <Text size="sm">{t.now(productOf(mapping))}</Text>}
      <TextInput
        type="search"
        label={t.search}
        placeholder={t.placeholder}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <Radio.Group label={t.products} value={key} onChange={setKey}>
        <Stack gap="xs" mt="xs">
          {hits.map((each) => (
            <Group key={each.key} gap="sm" wrap="nowrap">
              <Radio value={each.key} label={each.name} />
              {each.previewURL ? <Preview url={each.previewURL} name={each.name} /> : null}
            </Group>
          ))}
          {hits.length === 0 ? <Text size="sm">{t.noHit}</Text> : null}
          <Radio value={IGNORE} label={t.ignore} />
        </Stack>
      </Radio.Group>
      {hit === undefined ? null : (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {hit.options.map(({ id, name, values: options }) => (
            <Select
              key={id}
              label={name}
              value={values[id]!}
              onChange={(value) => setChosen({ ...chosen, [`${key} ${id}`]: value })}
              options={options}
            />
          ))}
        </SimpleGrid>
      )}
      <input type="hidden" name="target" value={target === null ? '' : JSON.stringify(targetIn(target))} />
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
