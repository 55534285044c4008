import { Fieldset, Stack, Text } from '@mantine/core';
import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import { RowFields, rowText } from '../../components/forms/row-fields';
import { type Option, Select } from '../../components/forms/select';
import { minorUnitsOf, moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import { type ModelChange, PreviewedFields } from './model-preview';
import type { ProductModel } from './types';

type Production = NonNullable<ProductModel['production']>;
type PriceList = NonNullable<Production['priceList']>;
type PriceFactors = NonNullable<Production['priceFactors']>;

const t = texts.catalog.prices;
const NUMBER = { type: 'number', min: 0, step: 'any', required: true } as const;

/** The sale prices of one unit in force and, for operators, the coming ones: a line for each currency and start. */
export function Prices({ of: { ordering, production } }: { readonly of: ProductModel }) {
  const inForce = Object.entries(ordering.priceList);
  const coming = Object.entries(production?.priceList ?? {}).flatMap(([currency, breaks]) =>
    comingStarts(breaks).map((start) => ({
      currency,
      start,
      breaks: breaks.filter(({ validFrom = '' }) => Date.parse(validFrom) === start),
    })),
  );
  if (inForce.length + coming.length === 0) return texts.common.none;
  return (
    <Stack gap={2}>
      {inForce.map(([currency, breaks]) => (
        <Text key={currency} size="sm" miw={180}>
          {breaksText(breaks, currency)}
        </Text>
      ))}
      {coming.map(({ currency, start, breaks }) => (
        <Text key={`${currency} ${start}`} size="xs" c="dimmed" miw={180}>
          {t.comingFrom} <Time at={new Date(start).toISOString()} />: {breaksText(breaks, currency)}
        </Text>
      ))}
    </Stack>
  );
}

function breaksText(breaks: readonly { readonly from: number; readonly unitMinor: number }[], currency: string) {
  return breaks
    .map(({ from, unitMinor }) => t.from(from, moneyOf(unitMinor / minorUnitsOf(currency), currency)))
    .join(', ');
}

/** Returns when prices of a currency start that are not in force yet, in milliseconds, the next one first. */
function comingStarts(breaks: PriceList[string]): number[] {
  const starts = breaks.flatMap(({ validFrom }) => (validFrom === undefined ? [] : [Date.parse(validFrom)]));
  return [...new Set(starts)].filter((start) => start > Date.now()).sort((a, b) => a - b);
}

/** Returns a time as a field of a date and a time has it, in the zone of the browser. */
function localTime(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Returns the values of the rows of the form: currency, quantity, price and start. */
const rowsOf = (list: PriceList) =>
  Object.entries(list).flatMap(([currency, breaks]) =>
    breaks.map(({ from, unitMinor, validFrom }) => [
      currency,
      String(from),
      String(unitMinor / minorUnitsOf(currency)),
      validFrom === undefined ? '' : localTime(validFrom),
    ]),
  );

/** Returns the prices that the rows of the form hold. The API checks them. */
function priceListOf(form: FormData): PriceList {
  const column = (name: string) => form.getAll(name).map(String);
  const [from, prices, starts] = [column('from'), column('price'), column('validFrom')];
  const list: Record<string, PriceList[string]> = {};
  for (const [index, each] of column('currency').entries()) {
    const currency = each.trim().toUpperCase();
    const unitMinor = Math.round(Number(prices[index]) * minorUnitsOf(currency));
    const start = starts[index] === '' ? {} : { validFrom: new Date(starts[index]!).toISOString() };
    list[currency] = [...(list[currency] ?? []), { from: Number(from[index]), unitMinor, ...start }].sort(
      (a, b) => (a.validFrom ?? '').localeCompare(b.validFrom ?? '') || a.from - b.from,
    );
  }
  return list;
}

/** Returns the values of the rows of the form: attribute with its value, and the factor. */
const factorRows = (factors: PriceFactors) =>
  Object.entries(factors).flatMap(([attributeId, byValue]) =>
    Object.entries(byValue).map(([valueId, factor]) => [`${attributeId} ${valueId}`, factor]),
  );

/** Returns the price factors that the rows of the form hold. */
function factorsOf(form: FormData): PriceFactors {
  const factors = form.getAll('factor').map((factor) => String(factor).trim());
  const found: Record<string, Record<string, string>> = {};
  for (const [index, value] of form.getAll('factorOf').entries()) {
    const [attributeId = '', valueId = ''] = String(value).split(' ');
    found[attributeId] = { ...found[attributeId], [valueId]: factors[index]! };
  }
  return found;
}

/** The button that changes the sale prices of a product model. */
export function ChangePrices({ model, size }: { readonly model: ProductModel; readonly size: 'xs' | 'compact-xs' }) {
  const { id, name, production } = model;
  if (production === undefined) return null;
  const changeOf = (form: FormData): ModelChange => ({
    production: {
      ...production,
      priceList: priceListOf(form),
      priceFactors: factorsOf(form),
    },
  });
  return (
    <DialogButton
      name={t.name}
      label={t.label(name)}
      explanation={t.explanation}
      button={t.button}
      size={size}
      dialogSize="xl"
      fields={
        <PreviewedFields model={model} changeOf={changeOf} withPrices>
          <PriceFields list={production.priceList ?? {}} />
          <FactorFields model={model} factors={production.priceFactors ?? {}} />
        </PreviewedFields>
      }
      changeOf={({ form }) => change('updateProductModel', { params: { id }, body: changeOf(form) })}
    />
  );
}

function FactorFields({ model, factors }: { readonly model: ProductModel; readonly factors: PriceFactors }) {
  const rows = factorRows(factors);
  const offered: Option<string>[] = model.attributes.flatMap(({ id, description, values }) =>
    values.map((value) => ({
      value: `${id} ${value.id}`,
      label: t.factorOf(description, value.description ?? value.id),
    })),
  );
  // A factor of a value that is not offered stays.
  const others = rows.flatMap(([value = '']) =>
    offered.some((option) => option.value === value) ? [] : [{ value, label: value }],
  );
  if (model.attributes.length === 0) return null;
  return (
    <Fieldset legend={t.factors}>
      <RowFields
        name="production.priceFactors"
        label={t.factors}
        rows={rows}
        added={['', '1']}
        add={t.addFactor}
        none={t.noFactor}
        columns={[
          {
            header: t.factorValue,
            width: '60%',
            field: (value, label) => (
              <Select
                name="factorOf"
                aria-label={label}
                none={t.choose}
                required
                value={value}
                options={[...offered, ...others]}
              />
            ),
          },
          { header: t.factor, field: rowText('factor', NUMBER) },
        ]}
      />
    </Fieldset>
  );
}

function PriceFields({ list }: { readonly list: PriceList }) {
  return (
    <RowFields
      name="production.priceList"
      label={t.name}
      rows={rowsOf(list)}
      added={['', '1', '', '']}
      add={t.add}
      none={t.none}
      columns={[
        { header: t.currency, field: rowText('currency', { required: true, minLength: 3, maxLength: 3 }) },
        { header: t.quantity, field: rowText('from', { type: 'number', min: 1, required: true }) },
        { header: t.price, field: rowText('price', NUMBER) },
        { header: t.validFrom, field: rowText('validFrom', { type: 'datetime-local', step: 1 }) },
      ]}
    />
  );
}
