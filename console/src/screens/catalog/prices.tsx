import { Stack, Text, TextInput } from '@mantine/core';
import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import { RowFields } from '../../components/forms/row-fields';
import { minorUnitsOf, moneyOf } from '../../components/values/money';
import { Time } from '../../components/values/time';
import { texts } from '../../texts';
import type { ProductModel } from './types';

type PriceList = NonNullable<NonNullable<ProductModel['production']>['priceList']>;

const t = texts.catalog.prices;

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

/** The button that changes the sale prices of a product model. */
export function ChangePrices({ model }: { readonly model: ProductModel }) {
  const { id, name, production } = model;
  if (production === undefined) return null;
  return (
    <DialogButton
      name={t.name}
      label={t.label(name)}
      explanation={t.explanation}
      button={t.button}
      size="compact-xs"
      dialogSize="xl"
      fields={<PriceFields list={production.priceList ?? {}} />}
      changeOf={({ form }) =>
        change('updateProductModel', {
          params: { id },
          body: { production: { ...production, priceList: priceListOf(form) } },
        })
      }
    />
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
        {
          header: t.currency,
          field: (value, label) => (
            <TextInput name="currency" aria-label={label} required minLength={3} maxLength={3} defaultValue={value} />
          ),
        },
        {
          header: t.quantity,
          field: (value, label) => (
            <TextInput name="from" aria-label={label} type="number" min={1} required defaultValue={value} />
          ),
        },
        {
          header: t.price,
          field: (value, label) => (
            <TextInput name="price" aria-label={label} type="number" min={0} step="any" required defaultValue={value} />
          ),
        },
        {
          header: t.validFrom,
          field: (value, label) => (
            <TextInput name="validFrom" aria-label={label} type="datetime-local" step={1} defaultValue={value} />
          ),
        },
      ]}
    />
  );
}
