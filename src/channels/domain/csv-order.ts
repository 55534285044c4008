import { z } from 'zod';
import { cutText } from '../../platform/domain/foreign-text';
import { type Decimal, numberOf } from './decimals';
import { entries, type OrderContent, type OrderLine } from './order-content';
import { ADDRESS_FIELDS, PRESET_NAMES, PRESETS } from './presets';
import type { Reason } from './reasons';

/** Reads the rows of an order in a CSV file as an order of the API. */

/** Fields of the order and of its items that are no fields of the API as they are. */
const OWN_FIELDS = [
  'revision',
  'canceled',
  'shippingAddress.fullName',
  'items.sku',
  'items.variantId',
  'items.retailUnitPrice',
] as const;
const FIELDS: readonly string[] = [
  ...OWN_FIELDS,
  ...'orderReferenceId customerReferenceId currency retailCurrency retailShippingPriceInclVat shipmentMethodUid'.split(
    ' ',
  ),
  ...ADDRESS_FIELDS.map((name) => `shippingAddress.${name}`),
  ...'itemReferenceId productUid productName quantity retailPriceInclVat'.split(' ').map((name) => `items.${name}`),
];
/** Fields with names of the client's. */
const OPEN_FIELD = /^(metadata|items\.metadata|items\.files|items\.productVariant)\.(.{1,100})$/;

/** Fields whose cells are numbers, which show the decimal sign of a file. */
export const NUMBERS = [
  'items.quantity',
  'items.retailPriceInclVat',
  'items.retailUnitPrice',
  'retailShippingPriceInclVat',
];

const field = z
  .string()
  .max(120)
  .refine((name) => FIELDS.includes(name) || OPEN_FIELD.test(name), 'Not a field of an order (docs/channels.md).');
const MOST_COLUMNS = 500;

export const csvSettings = z
  .object({
    preset: z.enum(PRESET_NAMES).default('pressline').describe('The system whose export the files are.'),
    columns: entries(field, z.string().min(1).max(200).nullable(), MOST_COLUMNS)
      .default({})
      .describe('Columns by the field of the order, in place of those of the preset. Null: no column.'),
    defaults: entries(field, z.string().max(2_048), MOST_COLUMNS)
      .default({})
      .describe('Values by the field of the order, where the file has none.'),
    decimal: z.enum(['point', 'comma']).nullish().describe('Decimal sign of numbers. Default: what each file shows.'),
  })
  .meta({ id: 'CsvChannelSettings', examples: [{ preset: 'shopify', defaults: { currency: 'EUR' } }] });
export type CsvSettings = z.output<typeof csvSettings>;

/** The rows of an order, as they were in their file. */
export interface CsvRaw {
  readonly decimal: Decimal | null;
  readonly lines: readonly {
    readonly line: number;
    /** Cells by column, without empty ones. */
    readonly fields: Readonly<Record<string, string>>;
    /** Why the row cannot be read. */
    readonly fault?: string;
  }[];
}

type Cells = Readonly<Record<string, string>>;

/** Returns the columns of a field, the first with a value counts. */
function columnsOf({ preset, columns }: CsvSettings, name: string): readonly string[] {
  if (Object.hasOwn(columns, name)) return columns[name] == null ? [] : [columns[name]];
  return [name, ...((PRESETS[preset] as Readonly<Record<string, readonly string[]>>)[name] ?? [])];
}

/** Returns the cell of a field in a row, without spaces around it. Undefined: it has none. */
export function cellOf(settings: CsvSettings, cells: Cells, name: string): string | undefined {
  for (const column of columnsOf(settings, name)) {
    const cell = Object.hasOwn(cells, column) ? cells[column]!.trim() : '';
    if (cell !== '') return cell;
  }
  return settings.defaults[name];
}

/** Returns the names of a group of open fields that a row has: `front` for a column `items.files.front`. */
function openNames({ preset, columns, defaults }: CsvSettings, cells: Cells, group: string): string[] {
  const named = [
    ...Object.keys(columns),
    ...Object.keys(PRESETS[preset]),
    ...Object.keys(defaults),
    ...Object.keys(cells),
  ];
  const start = `${group}.`;
  return [...new Set(named)].filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
}

/** Fields of ours that are read from another field of a file too. */
const ALSO: Readonly<Record<string, string>> = {
  'shippingAddress.firstName': 'shippingAddress.fullName',
  'shippingAddress.lastName': 'shippingAddress.fullName',
  'items.retailPriceInclVat': 'items.retailUnitPrice',
};
const VALUE_LENGTH = 255;

/** Returns reasons with the cells that they are about. */
export function located({ lines }: CsvRaw, settings: CsvSettings, reasons: readonly Reason[]): Reason[] {
  return reasons.map((reason) => {
    const name = (reason.field ?? '').replace(/\[\d+\]/g, '');
    const own = lines.filter(({ line }) => line === reason.line);
    const rows = name.startsWith('items.') ? own : [...own, ...lines];
    const fields = name.startsWith('items.files')
      ? rows.flatMap((row) => openNames(settings, row.fields, 'items.files').map((type) => `items.files.${type}`))
      : [name, ALSO[name] ?? name].filter((each) => FIELDS.includes(each));
    const columns = fields.flatMap((each) => columnsOf(settings, each));
    for (const { fields: cells } of rows) {
      const column = columns.find((each) => Object.hasOwn(cells, each));
      if (column !== undefined) return { ...reason, column, value: cutText(cells[column]!.trim(), VALUE_LENGTH) };
    }
    // An empty cell: the column of the preset, else the one with our name.
    const column = columns[1] ?? columns[0];
    return column === undefined ? reason : { ...reason, column };
  });
}

const isTrue = (text: string) => !/^(false|no|0)$/i.test(text);

/** Returns the numbers with which a cell can be a whole order's: its revision. Null: it is none. */
export function revisionOf(cell: string | undefined): number | null {
  if (cell === undefined) return 0;
  return /^\d{1,15}$/.test(cell) ? Number(cell) : null;
}

/** Returns the order that rows of a file are, with what is wrong about their cells. */
export function csvOrder({ decimal, lines }: CsvRaw, settings: CsvSettings): OrderContent {
  const reasons: Reason[] = [];
  const first = lines[0]?.line ?? null;
  const report = (code: Reason['code'], name: string | null, message: string, line = first) => {
    reasons.push({ code, field: name, message, line });
  };
  for (const { line, fault } of lines) if (fault !== undefined) report('row', null, fault, line);

  /** Returns the value that the rows of the order have in a field. */
  const ofOrder = (name: string): string | undefined => {
    const found = [
      ...new Set(lines.map(({ fields }) => cellOf(settings, fields, name)).filter((cell) => cell !== undefined)),
    ];
    const given = found.filter((cell) => cell !== settings.defaults[name]);
    const values = given.length > 0 ? given : found;
    if (values.length > 1) report('row', name, 'The rows of the order have different values.');
    return values[0];
  };
  const asNumber = (text: string | undefined, name: string, line: number | null): number | undefined => {
    if (text === undefined) return undefined;
    const number = numberOf(text, settings.decimal ?? decimal);
    if (number === null) {
      report('number', name, `"${text}" can be read in two ways. Set \`decimal\` of the channel.`, line);
      return undefined;
    }
    if (!Number.isNaN(number)) return number;
    report('number', name, `"${text}" is not a number.`, line);
    return undefined;
  };
  const metadataOf = (group: string, value: (name: string) => string | undefined, names: readonly string[]) => {
    const entries = names.flatMap((key) => {
      const found = value(`${group}.${key}`);
      return found === undefined ? [] : [{ key, value: found }];
    });
    return entries.length === 0 ? undefined : entries;
  };

  const address: Record<string, unknown> = {};
  for (const name of ADDRESS_FIELDS) {
    const text = ofOrder(`shippingAddress.${name}`);
    if (text === undefined) continue;
    // Spreadsheets keep the zeros before a number that begins with an apostrophe.
    if (name === 'postCode') address[name] = text.replace(/^'/, '');
    else if (name === 'isBusiness') address[name] = isTrue(text);
    else address[name] = text;
  }
  const fullName = ofOrder('shippingAddress.fullName')?.split(/\s+/);
  if (fullName !== undefined && address.lastName === undefined) {
    address.lastName = fullName.at(-1);
    address.firstName = fullName.slice(0, -1).join(' ');
  }
  // An empty cell: the recipient has no first name.
  if (address.lastName !== undefined) address.firstName ??= '';
  const revision = ofOrder('revision');
  if (revisionOf(revision) === null) report('invalid', 'revision', `"${revision}" is not a whole number.`);
  const canceled = ofOrder('canceled');
  const cells = Object.assign({}, ...lines.map(({ fields }) => fields)) as Cells;
  return {
    order: {
      ...Object.fromEntries(
        'orderReferenceId customerReferenceId currency retailCurrency shipmentMethodUid'
          .split(' ')
          .map((name) => [name, ofOrder(name)]),
      ),
      retailShippingPriceInclVat: asNumber(ofOrder('retailShippingPriceInclVat'), 'retailShippingPriceInclVat', first),
      shippingAddress: address,
      metadata: metadataOf('metadata', ofOrder, openNames(settings, cells, 'metadata')),
    },
    canceled: canceled !== undefined && isTrue(canceled),
    lines: lines.map((row) => lineOf(row)).filter((line) => line !== null),
    reasons,
  };

  /** Returns a row as a line of the order. Null for a row that has only what the order as a whole has. */
  function lineOf({ line, fields }: CsvRaw['lines'][number]): OrderLine | null {
    const cell = (name: string) => cellOf(settings, fields, `items.${name}`);
    const names = ['itemReferenceId', 'sku', 'variantId', 'productUid', 'productName', 'quantity'];
    if (names.every((name) => cell(name) === undefined)) return null;
    const quantity = asNumber(cell('quantity'), 'items.quantity', line);
    const unitPrice = asNumber(cell('retailUnitPrice'), 'items.retailUnitPrice', line);
    const total = asNumber(cell('retailPriceInclVat'), 'items.retailPriceInclVat', line);
    const ofUnits = unitPrice === undefined || quantity === undefined ? undefined : unitPrice * quantity;
    const open = (group: string) =>
      openNames(settings, fields, `items.${group}`).flatMap((name): [string, string][] => {
        const value = cell(`${group}.${name}`);
        return value === undefined ? [] : [[name, value]];
      });
    const variant = open('productVariant');
    return {
      line,
      variantId: cell('variantId') ?? null,
      sku: cell('sku') ?? null,
      fields,
      quantity,
      files: Object.fromEntries(open('files')),
      item: {
        itemReferenceId: cell('itemReferenceId'),
        productUid: cell('productUid'),
        productName: cell('productName'),
        productVariant: variant.length === 0 ? undefined : Object.fromEntries(variant),
        retailPriceInclVat: total ?? (ofUnits === undefined ? undefined : Math.round(ofUnits * 10_000) / 10_000),
        metadata: metadataOf(
          'items.metadata',
          (name) => cellOf(settings, fields, name),
          openNames(settings, fields, 'items.metadata'),
        ),
      },
    };
  }
}
