import { Fieldset, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import type { ApiResponse, Input } from '../../api/types';
import { TextField } from '../../components/forms/field-faults';
import type { FormDialogContent } from '../../components/forms/form-dialog';
import { textOf } from '../../components/forms/form-values';
import { ObjectFields } from '../../components/forms/object-fields';
import { Fold } from '../../components/layout/fold';
import { QueryContent } from '../../components/layout/query-content';
import { DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';
import { Findings } from './findings';

type Params = Input<'correctChannelOrder'>['params'];
type Order = ApiResponse<'getChannelOrder'>;
type Item = Order['content']['items'][number];
/** Rows of a CSV file. */
interface Raw {
  readonly lines: readonly { readonly line: number; readonly fields: Readonly<Record<string, string>> }[];
}

const t = texts.channels.inbox;
const ADDRESS = { labels: texts.order.address.fields, rules: {} };
const ADDRESS_FIELDS = Object.keys(ADDRESS.labels);

/** Returns the dialog that shows an order of the inbox as it arrived, and corrects it. */
export const correctOrder = (params: Params, name: string): FormDialogContent => ({
  title: t.correctOf(name),
  size: 'xl',
  explanation: t.correctExplanation,
  button: t.correctButton,
  fields: <Fields params={params} />,
  changeOf: ({ form }) => change('correctChannelOrder', { params, body: correctionOf(form) }),
});

/** Returns the correction that the fields hold: all of them, because a correction replaces the one before. */
function correctionOf(form: FormData): NonNullable<Input<'correctChannelOrder'>['body']> {
  const currency = textOf(form, 'currency');
  return {
    shippingAddress: Object.fromEntries(
      ADDRESS_FIELDS.map((field) => [field, textOf(form, `shippingAddress.${field}`)]),
    ),
    ...(currency === null ? {} : { currency }),
    items: form.getAll('item').map((reference, index) => {
      const field = (name: string) => textOf(form, `items[${index}].${name}`);
      const [quantity, price, file] = [field('quantity'), field('retailPriceInclVat'), field('files')];
      return {
        itemReferenceId: String(reference),
        ...(quantity === null ? {} : { quantity: Number(quantity) }),
        ...(price === null ? {} : { retailPriceInclVat: Number(price) }),
        ...(file === null ? {} : { files: { [String(form.getAll('fileType')[index])]: file } }),
      };
    }),
  };
}

function Fields({ params }: { readonly params: Params }) {
  // What is typed is not replaced by what is read later.
  const query = useQuery({ ...read('getChannelOrder', { params }), refetchInterval: false });
  return (
    <QueryContent query={query}>
      {({ reasons, raw, content: { shippingAddress, currency, items } }) => (
        <Stack>
          <Findings findings={reasons} />
          <Fold summary={t.arrived}>
            <Arrived raw={raw as Raw} reasons={reasons} />
          </Fold>
          <ObjectFields
            name="shippingAddress"
            legend={texts.order.address.legend}
            form={ADDRESS}
            value={shippingAddress as Readonly<Record<keyof typeof ADDRESS.labels, string>>}
          />
          <TextField name="currency" label={t.currency} maxLength={3} defaultValue={currency ?? ''} />
          {items.map((item, index) => (
            <ItemFields key={item.itemReferenceId} item={item} index={index} />
          ))}
        </Stack>
      )}
    </QueryContent>
  );
}

/** The rows of the order as they were in its file, a column of the file in each row. */
function Arrived({ raw: { lines }, reasons }: { readonly raw: Raw; readonly reasons: Order['reasons'] }) {
  const names = [...new Set(lines.flatMap(({ fields }) => Object.keys(fields)))];
  return (
    <DataTable
      label={t.arrived}
      rows={names}
      keyOf={(name) => name}
      columns={[
        { name: texts.channels.settings.column, cell: (name: string) => name },
        ...lines.map(({ line, fields }) => ({
          name: t.line(line),
          cell: (name: string) =>
            reasons.some((reason) => reason.column === name && reason.value === fields[name]) ? (
              <Badge tone="danger">{fields[name]}</Badge>
            ) : (
              fields[name]
            ),
        })),
      ]}
    />
  );
}

function ItemFields({ item, index }: { readonly item: Item; readonly index: number }) {
  const { itemReferenceId, sku, variantId, productUid, quantity, retailPriceInclVat: price, files } = item;
  const [type, url] = Object.entries(files)[0] ?? ['default', ''];
  const name = (field: string) => `items[${index}].${field}`;
  return (
    <Fieldset legend={t.item(index + 1, sku ?? variantId ?? productUid)}>
      <input type="hidden" name="item" value={itemReferenceId} />
      <input type="hidden" name="fileType" value={type} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <TextField
          name={name('quantity')}
          label={t.itemFields.quantity}
          type="number"
          min={1}
          defaultValue={quantity ?? ''}
        />
        <TextField
          name={name('retailPriceInclVat')}
          label={t.itemFields.retailPriceInclVat}
          type="number"
          min={0}
          step="any"
          defaultValue={price ?? ''}
        />
        <TextField name={name('files')} label={t.itemFields.file} type="url" defaultValue={url} />
      </SimpleGrid>
    </Fieldset>
  );
}
