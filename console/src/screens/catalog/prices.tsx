import { Stack, Text, TextInput } from '@mantine/core';
import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
import { RowFields } from '../../components/forms/row-fields';
import { minorUnitsOf, moneyOf } from '../../components/values/money';
import { texts } from '../../texts';
import type { ProductModel } from './types';

type PriceList = NonNullable<ProductModel['ordering']['priceList']>;

const t = texts.catalog.prices;

/** The sale prices of one unit: a line for each currency, with its quantity breaks. */
export function Prices({ of: { ordering } }: { readonly of: ProductModel }) {
  const currencies = Object.entries(ordering.priceList ?? {});
  if (currencies.length === 0) return texts.common.none;
  return (
    <Stack gap={2}>
      {currencies.map(([currency, breaks]) => (
        <Text key={currency} size="sm" miw={180}>
          {breaks
            .map(({ from, unitMinor }) => t.from(from, moneyOf(unitMinor / minorUnitsOf(currency), currency)))
            .join(', ')}
        </Text>
      ))}
    </Stack>
  );
}

/** Returns the values of the rows of the form: currency, quantity and price. */
const rowsOf = (list: PriceList) =>
  Object.entries(list).flatMap(([currency, breaks]) =>
    breaks.map(({ from, unitMinor }) => [currency, String(from), String(unitMinor / minorUnitsOf(currency))]),
  );

/** Returns the prices that the rows of the form hold. The API checks them. */
function priceListOf(form: FormData): PriceList {
  const column = (name: string) => form.getAll(name).map(String);
  const [from, prices] = [column('from'), column('price')];
  const list: Record<string, PriceList[string]> = {};
  for (const [index, each] of column('currency').entries()) {
    const currency = each.trim().toUpperCase();
    const unitMinor = Math.round(Number(prices[index]) * minorUnitsOf(currency));
    list[currency] = [...(list[currency] ?? []), { from: Number(from[index]), unitMinor }].sort(
      (a, b) => a.from - b.from,
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
      dialogSize="lg"
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
      label={t.name}
      rows={rowsOf(list)}
      added={['', '1', '']}
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
      ]}
    />
  );
}
