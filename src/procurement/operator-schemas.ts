import { z } from 'zod';
import { currencyCode, day } from '../platform/domain/fields';
import { PROCUREMENT_STATUSES } from './domain/procurement-order';
import {
  inventoryShape,
  pageNumber,
  pageOfItems,
  pageOfResults,
  pieces,
  procurementOrderShape,
  sku,
} from './partner-schemas';

// Wire schemas of the operator routes for stock, procurement orders and exchange rates.

const note = z.string().trim().min(1).max(500);
const limit = z.int().min(0).max(1_000_000_000);

export const stockItemSetupSchema = z
  .object({
    partnerSku: sku,
    productUid: z.string().min(1).max(255).optional().describe('Default: the SKU.'),
    productName: z.string().min(1).max(255).nullable().optional(),
    minStock: limit.default(0),
    maxStock: limit.default(0),
    allowBackorder: z
      .boolean()
      .default(true)
      .describe('True: print jobs may wait for stock. False: they go to another partner.'),
    supplier: z
      .object({
        uid: z.string().min(1).max(100),
        unitCost: z.number().min(0).max(1_000_000).describe('Kept with six decimals.'),
        currency: currencyCode.describe('ISO 4217; a currency with an exchange rate.'),
        vatPercentage: z.number().min(0).max(100).nullable().default(null),
      })
      .optional()
      .describe('Without a supplier the item is never reordered.'),
    openingQuantity: limit.optional().describe('The initial stock of a new item. An existing item keeps its level.'),
  })
  .refine(({ minStock, maxStock }) => maxStock >= minStock, {
    path: ['maxStock'],
    error: 'Must not be below minStock.',
  });

export const stockItemsRequestSchema = z.object({
  items: z
    .array(stockItemSetupSchema)
    .min(1)
    .max(1000)
    .superRefine((items, context) => {
      const seen = new Set<string>();
      items.forEach(({ partnerSku }, index) => {
        if (seen.has(partnerSku)) {
          context.addIssue({ code: 'custom', path: [index, 'partnerSku'], message: 'Listed twice.' });
        }
        seen.add(partnerSku);
      });
    }),
});

/** A page request in query parameters, where numbers are text. */
export const pageQuerySchema = z.object({
  pageNumber: z.coerce.number().pipe(pageNumber).default(1),
  perPage: z.coerce.number().pipe(z.int().min(1).max(1000)).default(100),
});

export const stockItemViewSchema = z.object({
  ...inventoryShape,
  productUid: z.string(),
  productName: z.string().nullable(),
  reserved: z.int().describe('Pieces of the quantity that are allocated to print jobs.'),
  backorder: z.int(),
  allowBackorder: z.boolean(),
  supplierUid: z.string().nullable(),
});

export const stockItemListSchema = z.object({
  items: z.array(stockItemViewSchema),
  pagination: pageOfItems,
});

export const stockMovementSchema = z.object({
  id: z.string(),
  type: z.enum(['add', 'consume', 'reserve', 'release', 'consume_reserved', 'receive']),
  quantity: z.int(),
  quantityDelta: z.int(),
  reservedDelta: z.int(),
  backorderDelta: z.int(),
  reference: z.string().nullable(),
  at: z.iso.datetime(),
});

export const procurementOrderViewSchema = z.object({
  ...procurementOrderShape,
  partnerUid: z.string(),
  partnerName: z.string(),
  supplierCurrency: z.string().describe('ISO 4217; the currency of the supplier.'),
  attention: z.string().nullable(),
  updatedAt: z.iso.datetime(),
  workflowId: z.string(),
});

export const procurementOrderListSchema = z.object({
  orders: z.array(procurementOrderViewSchema),
  pagination: pageOfResults,
});

export const procurementEventSchema = z.object({
  type: z.enum(['raised', 'move', 'receipt', 'invoice']),
  actor: z.string(),
  data: z.record(z.string(), z.unknown()),
  at: z.iso.datetime(),
});

export const moveRequestSchema = z.object({
  status: z.enum(PROCUREMENT_STATUSES),
  reason: note.optional(),
  partnerPoNumber: z.string().trim().min(1).max(100).optional(),
  shippingCost: z.number().min(0).max(10_000_000).optional().describe('In the supplier’s currency.'),
});

export const receiptRequestSchema = z.object({
  receiptId: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .describe('Identifies the delivery. A receipt with the same id is counted once.'),
  items: z
    .array(z.object({ partnerSku: sku, quantity: pieces }))
    .min(1)
    .max(1000),
});

export const invoiceRequestSchema = z.object({
  url: z.url({ protocol: /^https$/ }).max(2000),
  originalFilename: z.string().trim().min(1).max(255),
  referenceId: z.string().trim().min(1).max(100).nullable().default(null),
  dueDate: day.nullable().default(null),
});

export const exchangeRatesSchema = z.object({
  perEuro: z
    .record(z.string().regex(/^[A-Z]{3}$/), z.string().regex(/^\d{1,9}(\.\d{1,8})?$/, 'must be a decimal number'))
    .refine((rates) => Object.keys(rates).length <= 200, { error: 'No more than 200 currencies.' })
    .refine((rates) => Object.values(rates).every((rate) => Number(rate) > 0), {
      error: 'A rate must be greater than 0.',
    })
    .describe('Units of each currency per euro, as decimal text.'),
});
