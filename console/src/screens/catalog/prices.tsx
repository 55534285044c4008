import { Button, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { change } from '../../api/changes';
import { DialogButton } from '../../components/forms/dialog-button';
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

/** A row of the form. Its key stays when other rows are removed. */
interface Row {
  readonly key: number;
  readonly currency: string;
  readonly from: string;
  readonly price: string;
}

const rowsOf = (list: PriceList): Row[] =>
  Object.entries(list)
    .flatMap(([currency, breaks]) => breaks.map(({ from, unitMinor }) => ({ currency, from, unitMinor })))
    .map(({ currency, from, unitMinor }, key) => ({
      key,
      currency,
      from: String(from),
      price: String(unitMinor / minorUnitsOf(currency)),
    }));

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
  const [rows, setRows] = useState(() => rowsOf(list));
  const add = () => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, currency: '', from: '1', price: '' }]);
  return (
    <Stack gap="xs" align="flex-start">
      <Table aria-label={t.name}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t.currency}</Table.Th>
            <Table.Th scope="col">{t.quantity}</Table.Th>
            <Table.Th scope="col">{t.price}</Table.Th>
            <Table.Th scope="col">{texts.common.actions}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, currency, from, price }, index) => (
            <Table.Tr key={key}>
              <Table.Td>
                <TextInput
                  name="currency"
                  aria-label={t.cell(t.currency, index + 1)}
                  required
                  minLength={3}
                  maxLength={3}
                  defaultValue={currency}
                />
              </Table.Td>
              <Table.Td>
                <TextInput
                  name="from"
                  aria-label={t.cell(t.quantity, index + 1)}
                  type="number"
                  min={1}
                  required
                  defaultValue={from}
                />
              </Table.Td>
              <Table.Td>
                <TextInput
                  name="price"
                  aria-label={t.cell(t.price, index + 1)}
                  type="number"
                  min={0}
                  step="any"
                  required
                  defaultValue={price}
                />
              </Table.Td>
              <Table.Td>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t.cell(t.remove, index + 1)}
                  onClick={() => setRows(rows.filter((row) => row.key !== key))}
                >
                  {t.remove}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Button size="xs" variant="default" onClick={add}>
        {t.add}
      </Button>
    </Stack>
  );
}
