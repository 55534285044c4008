import { Button, Fieldset, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../../api/queries';
import { Select } from '../../components/forms/select';
import { minorUnitsOf } from '../../components/values/money';
import { texts } from '../../texts';
import type { Partner } from './queries';

type Models = Partner['capabilities']['models'];

/** A row of the form. Its key stays when other rows are removed. */
interface Row {
  readonly key: number;
  readonly uid: string;
  readonly unitPrice: string;
  readonly leadDays: string;
}

const t = texts.partners.edit.models;

/**
 * Returns the models that the rows of the form hold. Prices are in units of the currency, such as euros.
 * @throws Error when two rows are of one model
 */
export function modelsOf(form: FormData, currency: string): Models {
  const columnOf = (name: string) => form.getAll(name).map(String);
  const prices = columnOf('model.price');
  const leadDays = columnOf('model.leadDays');
  const units = minorUnitsOf(currency);
  const uids = columnOf('model.uid').map((uid) => uid.trim());
  const twice = uids.find((uid, index) => uids.indexOf(uid) !== index);
  if (twice !== undefined) throw new Error(t.twice(twice));
  return Object.fromEntries(
    uids.map((uid, index) => [
      uid,
      { unitPriceMinor: Math.round(Number(prices[index]) * units), leadDays: Number(leadDays[index]) },
    ]),
  );
}

/** The product models that a partner makes, with price and lead time, a row for each. */
export function ModelFields({ models, currency }: { readonly models: Models; readonly currency: string }) {
  const [rows, setRows] = useState(() => rowsOf(models, currency));
  const price = t.price(currency);
  const { data } = useQuery({ ...read('listProductModels', {}), refetchInterval: false });
  // Routing knows a product model by the uid of its production spec.
  const named = new Map<string, string[]>();
  for (const { id, name, production } of data?.productModels ?? []) {
    const uid = production?.modelUid ?? id;
    named.set(uid, [...(named.get(uid) ?? []), name]);
  }
  const options = [...named].map(([value, names]) => ({ value, label: t.option(value, names) }));
  const optionsWith = (uid: string) =>
    uid === '' || options.some(({ value }) => value === uid) ? options : [{ value: uid, label: uid }, ...options];
  const add = () => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, uid: '', unitPrice: '', leadDays: '1' }]);
  return (
    <Fieldset legend={t.legend}>
      <Stack gap="xs" align="flex-start">
        {rows.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.none}
          </Text>
        ) : (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col" w="45%">
                  {t.uid}
                </Table.Th>
                <Table.Th scope="col">{price}</Table.Th>
                <Table.Th scope="col">{t.leadDays}</Table.Th>
                <Table.Th scope="col">{texts.common.actions}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ key, uid, unitPrice, leadDays }, index) => (
                <Table.Tr key={key}>
                  <Table.Td>
                    <Select
                      // Other options would replace the choice of the field, which the form holds.
                      key={data === undefined ? 'reading' : 'read'}
                      name="model.uid"
                      aria-label={t.cell(t.uid, index + 1)}
                      value={uid}
                      options={optionsWith(uid)}
                    />
                  </Table.Td>
                  <Table.Td>
                    <TextInput
                      name="model.price"
                      aria-label={t.cell(price, index + 1)}
                      type="number"
                      min={0}
                      step="any"
                      required
                      defaultValue={unitPrice}
                    />
                  </Table.Td>
                  <Table.Td>
                    <TextInput
                      name="model.leadDays"
                      aria-label={t.cell(t.leadDays, index + 1)}
                      type="number"
                      min={0}
                      required
                      defaultValue={leadDays}
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
        )}
        <Button size="xs" variant="default" onClick={add}>
          {t.add}
        </Button>
      </Stack>
    </Fieldset>
  );
}

function rowsOf(models: Models, currency: string): Row[] {
  const units = minorUnitsOf(currency);
  return Object.entries(models).map(([uid, { unitPriceMinor, leadDays }], key) => ({
    key,
    uid,
    unitPrice: (unitPriceMinor / units).toFixed(Math.log10(units)),
    leadDays: String(leadDays),
  }));
}
