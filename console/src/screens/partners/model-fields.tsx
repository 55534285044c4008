import { Fieldset } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import { RowFields, rowText } from '../../components/forms/row-fields';
import { Select } from '../../components/forms/select';
import { minorUnitsOf } from '../../components/values/money';
import * as texts from '../../texts';
import type { Partner } from './queries';

type Models = Partner['capabilities']['models'];

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
  const price = t.price(currency);
  const { data } = useQuery({ ...read('listProductModels', {}), refetchInterval: false });
  // Routing knows a product model by the uid of its production spec, and asks no partner to make stocked parts.
  const named = new Map<string, string[]>();
  for (const { id, name, production } of data?.productModels ?? []) {
    if (production?.partType === 'stock') continue;
    const uid = production?.modelUid ?? id;
    named.set(uid, [...(named.get(uid) ?? []), name]);
  }
  const options = [...named].map(([value, names]) => ({ value, label: t.option(value, names) }));
  const optionsWith = (uid: string) =>
    uid === '' || options.some(({ value }) => value === uid) ? options : [{ value: uid, label: uid }, ...options];
  return (
    <Fieldset legend={t.legend}>
      <RowFields
        name="capabilities.models"
        label={t.legend}
        rows={rowsOf(models, currency)}
        added={['', '', '1']}
        add={t.add}
        none={t.none}
        columns={[
          {
            header: t.uid,
            width: '45%',
            field: (uid, label) => (
              <Select
                // Other options would replace the choice of the field, which the form holds.
                key={data === undefined ? 'reading' : 'read'}
                name="model.uid"
                aria-label={label}
                none={t.choose}
                required
                value={uid}
                options={optionsWith(uid)}
              />
            ),
          },
          { header: price, field: rowText('model.price', { type: 'number', min: 0, step: 'any', required: true }) },
          { header: t.leadDays, field: rowText('model.leadDays', { type: 'number', min: 0, required: true }) },
        ]}
      />
    </Fieldset>
  );
}

/** Returns the values of the rows of the form: model, price and lead time. */
function rowsOf(models: Models, currency: string): string[][] {
  const units = minorUnitsOf(currency);
  return Object.entries(models).map(([uid, { unitPriceMinor, leadDays }]) => [
    uid,
    (unitPriceMinor / units).toFixed(Math.log10(units)),
    String(leadDays),
  ]);
}
