import { z } from 'zod';
import { memberName } from '../platform/domain/fields';
import { PROCUREMENT_STATUSES } from './domain/procurement-order';

// Wire schemas of the routes for partners (docs/procurement.md).

export const sku = memberName(z.string().min(1).max(255));
/** A number of pieces. The maximum keeps the sum of many adjustments an exact JavaScript number. */
export const pieces = z.int().min(1).max(1_000_000_000);

const pageNumber = z.int().min(1).max(1_000_000_000);

/** Most rows before a page, since the database reads and skips them. */
const MAX_OFFSET = 1_000_000;

/** Returns true when a page begins within the first MAX_OFFSET rows. */
export function beginsInRange(page: { readonly pageNumber: number; readonly perPage: number }): boolean {
  return (page.pageNumber - 1) * page.perPage <= MAX_OFFSET;
}
export const BEGINS_OUT_OF_RANGE = {
  path: ['pageNumber'],
  error: `The page must not begin after row ${MAX_OFFSET}.`,
};

/** Largest page of a list. */
const MAX_PER_PAGE = 10_000;

const pageRequestSchema = z
  .object({
    pageNumber: pageNumber.default(1).describe('From 1.'),
    perPage: z
      .int()
      .min(1)
      .default(1000)
      .transform((rows) => Math.min(rows, MAX_PER_PAGE))
      .describe(`A larger value than ${MAX_PER_PAGE} is reduced to it. The response has the applied value.`),
  })
  .refine(beginsInRange, BEGINS_OUT_OF_RANGE);

/** The page of a list. The first one has the number 1. */
export type PageRequest = z.output<typeof pageRequestSchema>;

/** Makes null count as absent: the schema then parses an empty object. */
const orEmpty = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => (value ?? schema.parse({})) as z.output<T>);

const LATEST = Date.UTC(9999, 11, 31);
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Returns the start and end of an ISO 8601 date or date-time, or null for other text. Without an offset it is UTC. */
function momentsOf(text: string): { start: Date; end: Date } | null {
  const [, day, time, offset = 'Z'] = MOMENT.exec(text) ?? [];
  if (day === undefined || !z.iso.date().safeParse(day).success) return null;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;
  const start = Date.parse(time === undefined ? `${day}T00:00Z` : `${day}T${time}${zone}`);
  if (Number.isNaN(start)) return null;
  // Clamp to years that Postgres and ISO 8601 with four digits can represent. No row is outside.
  const within = (at: number) => new Date(Math.min(Math.max(at, 0), LATEST));
  return { start: within(start), end: within(time === undefined ? start + 86_399_999 : start) };
}

const moment = (edge: 'start' | 'end') =>
  z.string().transform((text, context) => {
    const moments = momentsOf(text);
    if (moments !== null) return moments[edge];
    context.addIssue({ code: 'custom', message: 'Not an ISO 8601 date or time.' });
    return z.NEVER;
  });

const period = {
  dateFrom: moment('start').optional().describe('ISO 8601. A date without a time means 00:00 UTC.'),
  dateTo: moment('end')
    .optional()
    .describe(
      'ISO 8601, inclusive. A date without a time includes the whole day. Default when dateFrom is given: now.',
    ),
};

/** The start (inclusive) and end (exclusive) of a period. Null: open. */
export interface Period {
  readonly from: Date | null;
  readonly before: Date | null;
}

interface DateFilter {
  readonly dateFrom?: Date | undefined;
  readonly dateTo?: Date | undefined;
}

const inOrder = ({ dateFrom, dateTo }: DateFilter) =>
  dateFrom === undefined || dateTo === undefined || dateFrom <= dateTo;
const NOT_IN_ORDER = { path: ['dateTo'], error: 'Must not be before dateFrom.' };

/** Replaces the dates by a period. It ends a millisecond after the last date, because responses cut microseconds off. */
const withPeriod = <T extends DateFilter>({ dateFrom, dateTo, ...filter }: T) => {
  const last = dateTo ?? (dateFrom === undefined ? undefined : new Date());
  return { ...filter, from: dateFrom ?? null, before: last === undefined ? null : new Date(last.getTime() + 1) };
};

export const orderListRequestSchema = z.object({
  filterBy: orEmpty(
    z
      .object({ ...period, status: z.array(z.enum(PROCUREMENT_STATUSES)).max(100).default([]) })
      .refine(inOrder, NOT_IN_ORDER)
      .transform(withPeriod),
  ),
  pagination: orEmpty(pageRequestSchema),
});

export const consumptionListRequestSchema = z.object({
  filterBy: orEmpty(
    z
      .object({
        ...period,
        partnerSku: z.array(z.string().max(255)).max(10_000).default([]),
        printJobId: z.array(z.int()).max(10_000).default([]),
      })
      .refine(inOrder, NOT_IN_ORDER)
      .transform(withPeriod),
  ),
  pagination: orEmpty(pageRequestSchema),
});

export const inventoryListRequestSchema = z.object({
  filterBy: orEmpty(
    z.object({
      partnerSku: z.array(z.string().max(255)).max(10_000).default([]).describe('Empty: all items.'),
    }),
  ),
  pagination: pageRequestSchema.nullish().describe('Without pagination the response has all items.'),
});

export const adjustmentSchema = z.object({
  partnerSku: sku,
  adjustmentType: z.enum(['add', 'consume']),
  quantity: pieces,
  referenceId: z.string().min(1).max(255).nullish().describe('Rejected when it is repeated within 5 minutes.'),
});

export const adjustStockRequestSchema = z.object({ adjustments: z.array(adjustmentSchema).min(1).max(100) });

export const procurementOrderShape = {
  orderId: z.int(),
  partnerPoNumber: z.string().nullable(),
  supplierUid: z.string(),
  status: z.enum(PROCUREMENT_STATUSES),
  currency: z.string().describe('ISO 4217; the currency of the partner and of all costs.'),
  shippingCost: z.number().nullable(),
  totalCost: z.number().describe('Items plus shipping, before VAT; rounded to the smallest unit of the currency.'),
  createdAt: z.iso.datetime(),
  items: z.array(
    z.object({
      productUid: z.string(),
      partnerSku: z.string().nullable(),
      productName: z.string().nullable(),
      quantity: z.int(),
      unitCost: z.number().describe('With up to six decimals.'),
      vatPercentage: z.number().nullable(),
      quantityReceived: z.int(),
    }),
  ),
  invoices: z.array(
    z.object({
      url: z.string(),
      originalFilename: z.string(),
      referenceId: z.string().nullable(),
      dueDate: z.iso.date().nullable(),
    }),
  ),
};

export const pageOfResults = z.object({ pageNumber: z.int(), perPage: z.int(), totalResult: z.int() });

export const orderListResponseSchema = z.object({
  orders: z.array(z.object(procurementOrderShape)),
  pagination: pageOfResults,
  currency: z.string().describe('ISO 4217'),
});

export const consumptionListResponseSchema = z.object({
  items: z.array(
    z.object({
      printJobId: z.int(),
      partnerSku: z.string(),
      productName: z.string().nullable(),
      quantity: z.int().describe('Reserved for the print job.'),
      createdAt: z.iso.datetime(),
    }),
  ),
  pagination: pageOfResults,
});

export const inventoryShape = {
  partnerSku: z.string(),
  alertUid: z
    .enum(['back_order', 'out_of_stock', 'low_stock'])
    .nullable()
    .describe(
      'The most severe of: back_order, demand waits for stock; out_of_stock, nothing is available; low_stock, at most ' +
        'minStock is available. Available stock is what is not reserved for print jobs. Null: no alert.',
    ),
  quantity: z.int(),
  minStock: z.int(),
  maxStock: z.int(),
  quantityOrdered: z.int(),
};

export const pageOfItems = z.object({
  pageNumber: z.int(),
  perPage: z.int(),
  totalPages: z.int(),
  totalItems: z.int(),
});

export const inventoryListResponseSchema = z.object({
  inventoryItem: z.array(z.object(inventoryShape)),
  pagination: pageOfItems.nullable(),
});

export const adjustStockResponseSchema = z.object({
  updates: z.array(
    z.object({
      partnerSku: z.string(),
      success: z.boolean(),
      message: z.string(),
      previousQuantity: z.int(),
      newQuantity: z.int(),
      backorderQuantity: z.int(),
    }),
  ),
});
