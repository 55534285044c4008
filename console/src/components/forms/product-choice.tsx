import { Group, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../../api/queries';
import * as texts from '../../texts';
import { Preview } from '../values/preview';
import { Select } from './select';

/** A product of the catalog, as items of orders name it. */
export interface ChosenProduct {
  readonly productUid?: string;
  readonly productName?: string;
  readonly productVariant?: Readonly<Record<string, string>>;
}

const t = texts.channels.map;
/** Products that the search shows of each kind. */
const HITS = 6;
const DEBOUNCE_MS = 200;
/** The value of the radio button after the products. */
const OTHER = 'other';

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
  readonly targetOf: (chosen: Readonly<Record<string, string>>) => ChosenProduct;
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

/**
 * Searches the catalog, and puts the chosen product into a hidden field as JSON.
 * @param other a choice that is no product, with the value of the field
 */
export function ProductChoice(props: {
  readonly name: string;
  readonly before: object | null;
  readonly other?: { readonly label: string; readonly value: object };
}) {
  const { name, before, other } = props;
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text, DEBOUNCE_MS);
  const hits = useHits(search);
  const [key, setKey] = useState('');
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const hit = hits.find((each) => each.key === key);
  const values = Object.fromEntries(
    (hit?.options ?? []).map(({ id, value }) => [id, chosen[`${key} ${id}`] ?? value ?? '']),
  );
  const target = key === OTHER ? (other?.value ?? null) : (hit?.targetOf(values) ?? before);
  return (
    <>
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
          {other === undefined ? null : <Radio value={OTHER} label={other.label} />}
        </Stack>
      </Radio.Group>
      {hit === undefined ? null : (
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          {hit.options.map(({ id, name: option, values: options }) => (
            <Select
              key={id}
              label={option}
              value={values[id]!}
              onChange={(value) => setChosen({ ...chosen, [`${key} ${id}`]: value })}
              options={options}
            />
          ))}
        </SimpleGrid>
      )}
      <input type="hidden" name={name} value={target === null ? '' : JSON.stringify(target)} />
    </>
  );
}
