import { z } from 'zod';
import { currencyCode, repeatsOf } from '../platform/domain/fields';
import { inventoryShape, procurementOrderShape, sku } from './partner-schemas';

// Wire schemas of the operator routes for stock, procurement orders and exchange rates.

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
      for (const index of repeatsOf(items.map(({ partnerSku }) => partnerSku))) {
        context.addIssue({ code: 'custom', path: [index, 'partnerSku'], message: 'Listed twice.' });
      }
    }),
});

/** A page request in query parameters, where numbers are text. */
export const pageQuerySchema = z.object({
  pageNumber: z.coerce.number().int().min(1).max(1_000_000_000).default(1),
  perPage: z.coerce.number().int().min(1).max(1000).default(100),
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

/** A stock item in the list of all partners. */
export const partnerStockItemSchema = stockItemViewSchema.extend({
  partnerId: z.string(),
  partnerUid: z.string(),
  reported: z
    .object({
      status: z.enum(['in-stock', 'out-of-stock']),
      amount: z.int().nullable().describe('Null: in stock, and the partner gives no number.'),
      at: z.string().describe('When the partner reported it.'),
      differs: z.boolean().describe('True when the level of the ledger is another one.'),
    })
    .nullable()
    .describe('What the partner reports itself. Null: nothing.'),
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

export const procurementEventSchema = z.object({
  type: z.enum(['raised', 'move', 'receipt', 'invoice']),
  actor: z.string(),
  data: z.record(z.string(), z.unknown()),
  at: z.iso.datetime(),
});

const ratesPerEuro = z
  .record(z.string().regex(/^[A-Z]{3}$/), z.string().regex(/^\d{1,9}(\.\d{1,8})?$/, 'must be a decimal number'))
  .describe('Units of each currency per euro, as decimal text.');

export const exchangeRatesOfDaySchema = z.object({ date: z.iso.date(), perEuro: ratesPerEuro });

export const exchangeRatesSchema = z
  .object({
    perEuro: ratesPerEuro
      .refine((rates) => Object.keys(rates).length <= 200, { error: 'No more than 200 currencies.' })
      .refine((rates) => Object.values(rates).every((rate) => Number(rate) > 0), {
        error: 'A rate must be greater than 0.',
      }),
  })
  .meta({ examples: [{ perEuro: { GBP: '0.8715', USD: '1.1604' } }] });
