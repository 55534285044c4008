import { Fieldset, NativeSelect, type NativeSelectProps, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { TextField } from '../../components/forms/field-faults';
import { wordsOf } from '../../components/forms/form-values';
import { RowFields, rowText } from '../../components/forms/row-fields';
import { optionsOf, Select } from '../../components/forms/select';
import { Section } from '../../components/layout/section';
import { minorUnitsOf } from '../../components/values/money';
import * as texts from '../../texts';
import type { ModelChange } from './model-preview';

type Production = NonNullable<ModelChange['production']>;
type Packed = NonNullable<Production['packed']>;
type Area = NonNullable<Production['printAreas']>[number];

const t = texts.catalog.form;
const PACKED = 'production.packed';
const FORMS = optionsOf(t.packed.forms);
const ANSWERS = optionsOf(texts.catalog.needs.answers);

/** The measures of each form of packing. */
const MEASURES = {
  flat: ['marginMm', 'thicknessMm'],
  tube: ['diameterMm', 'marginMm'],
  box: ['lengthMm', 'widthMm', 'heightMm'],
} as const satisfies { readonly [Form in Packed['form']]: readonly (keyof typeof t.packed.measures)[] };

/** How units are packed. Null: the default. */
export function PackingFields({ packed = null }: { readonly packed?: Packed | null | undefined }) {
  const [form, setForm] = useState(packed?.form);
  const values: Readonly<Record<string, unknown>> = packed ?? {};
  return (
    <Fieldset legend={t.packed.legend}>
      <SimpleGrid cols={{ base: 1, xs: 2, sm: 4 }} spacing="sm">
        <Select label={t.packed.form} none={t.packed.usual} value={form} onChange={setForm} options={FORMS} />
        <input type="hidden" name={`${PACKED}.form`} value={form ?? ''} />
        {(form === undefined ? [] : MEASURES[form]).map((name) => (
          <TextField
            key={name}
            name={`${PACKED}.${name}`}
            label={t.packed.measures[name]}
            type="number"
            min={0}
            step="any"
            required
            defaultValue={String(values[name] ?? '')}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

/** Returns the packing that the fields hold. Undefined: the default. */
export function packedOf(form: FormData): Packed | undefined {
  const chosen = FORMS.find(({ value }) => value === form.get(`${PACKED}.form`))?.value;
  if (chosen === undefined) return undefined;
  const measures = MEASURES[chosen].map((name) => [name, Number(form.get(`${PACKED}.${name}`))] as const);
  return { form: chosen, ...Object.fromEntries(measures) } as Packed;
}

/** The places of a product that take files. */
const FILE_TYPES = Object.keys({
  default: true,
  front: true,
  back: true,
  cover: true,
  inside: true,
  'neck-inner': true,
  'neck-outer': true,
  'sleeve-left': true,
  'sleeve-right': true,
  'chest-left-embroidery': true,
  'chest-center-embroidery': true,
  'chest-large-embroidery': true,
  'sleeve-left-embroidery': true,
  'sleeve-right-embroidery': true,
  'wrist-left-embroidery': true,
  'wrist-right-embroidery': true,
} satisfies Record<Area['fileType'], true>);

const choice = (name: string, data: NonNullable<NativeSelectProps['data']>) => (value: string, label: string) => (
  <NativeSelect name={name} aria-label={label} defaultValue={value} data={data} />
);
const NUMBER = { type: 'number', min: 0, step: 'any' } as const;
const COLUMNS = [
  { header: t.areas.fileType, field: choice('area.fileType', FILE_TYPES) },
  { header: t.areas.required, field: choice('area.required', ANSWERS) },
  { header: t.areas.widthMm, field: rowText('area.widthMm', NUMBER) },
  { header: t.areas.heightMm, field: rowText('area.heightMm', NUMBER) },
  { header: t.areas.attribute, field: rowText('area.attribute') },
  { header: t.areas.values, field: rowText('area.values') },
  { header: t.areas.prices, field: rowText('area.prices', { placeholder: 'EUR 2.50, USD 3' }) },
];

const rowOf = ({ fileType, required = true, size, when, prices = {} }: Area): string[] => [
  fileType,
  required ? 'yes' : 'no',
  String(size?.widthMm ?? ''),
  String(size?.heightMm ?? ''),
  when?.attributeId ?? '',
  (when?.valueIds ?? []).join(', '),
  Object.entries(prices)
    .map(([currency, minor]) => `${currency} ${minor / minorUnitsOf(currency)}`)
    .join(', '),
];

/** The print areas of a product model, one in each row. */
export function PrintAreaFields({ areas }: { readonly areas: readonly Area[] }) {
  return (
    <Section title={t.areas.title}>
      <RowFields
        name="production.printAreas"
        label={t.areas.title}
        columns={COLUMNS}
        rows={areas.map(rowOf)}
        added={['default', 'yes', '', '', '', '', '']}
        add={t.areas.add}
        none={t.areas.none}
      />
    </Section>
  );
}

/** Returns prices of a text such as `EUR 2.50, USD 3`, in minor units. */
const pricesOf = (text: string) =>
  Object.fromEntries(
    text.split(',').flatMap((price): [string, number][] => {
      const [code = '', amount] = price.trim().split(/\s+/);
      const currency = code.toUpperCase();
      return currency === '' ? [] : [[currency, Math.round(Number(amount) * minorUnitsOf(currency))]];
    }),
  );

/** Returns the print areas that the rows hold, with the needs that another dialog changes. The API checks them. */
export function areasOf(form: FormData, earlier: readonly Area[]): Area[] {
  const column = (name: string) => form.getAll(`area.${name}`).map((value) => String(value).trim());
  const [widths, heights, attributes, values] = ['widthMm', 'heightMm', 'attribute', 'values'].map(
    column,
  ) as string[][];
  const [required, prices] = [column('required'), column('prices')];
  return (column('fileType') as Area['fileType'][]).map((fileType, at): Area => {
    const attributeId = attributes![at]!;
    const valueIds = wordsOf(values![at]!);
    const before = earlier.filter((area) => area.fileType === fileType);
    const needs = (before.find(({ when }) => when?.valueIds.join() === valueIds.join()) ?? before[0])?.needs;
    const size = { widthMm: Number(widths![at]), heightMm: Number(heights![at]) };
    return {
      fileType,
      required: required[at] === 'yes',
      ...(widths![at] === '' && heights![at] === '' ? {} : { size }),
      ...(attributeId === '' ? {} : { when: { attributeId, valueIds } }),
      ...(prices[at] === '' ? {} : { prices: pricesOf(prices[at]!) }),
      ...(needs === undefined ? {} : { needs }),
    };
  });
}
