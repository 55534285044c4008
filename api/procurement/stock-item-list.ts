import { z } from 'zod';
import { isUuid } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import { stockItemViewSchema } from '../../src/procurement/operator-schemas';
import {
  listStockItemsOfPartners,
  type PartnerStockItem,
  type StockItemPosition,
} from '../../src/procurement/stock-items';
import { csvResponse, formatQuery } from '../http/lists/csv';
import { invalidCursor, limitField, pageOf } from '../http/lists/cursor';
import { operatorsOnly, type Route, route } from '../http/route';

const encode = ({ partnerSku, partnerId }: StockItemPosition) =>
  Buffer.from(`${partnerId} ${partnerSku}`).toString('base64url');

/** @throws Refusal `VALIDATION_ERROR` at `cursor` */
function decode(cursor: string): StockItemPosition {
  const [, partnerId = '', partnerSku = ''] =
    /^(\S+) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  // Postgres has no text with a zero byte.
  if (isUuid(partnerId) && !partnerSku.includes('\0')) return { partnerId, partnerSku };
  throw invalidCursor();
}

/** The route with which operators list the stock of all partners. */
export function stockItemListRoute(sql: Sql): Route {
  return route({
    method: 'get',
    path: '/v1/operator/stock-items',
    operationId: 'listStockItemsOfPartners',
    summary: 'List the stock items of all partners',
    description: 'By SKU, then partner.',
    tag: 'Operator: stock',
    access: operatorsOnly('viewer'),
    errors: 'coded',
    query: z.object({
      partnerId: z.uuid().optional(),
      partnerSku: z.string().min(1).max(255).optional().describe('Exact SKU.'),
      alert: z
        .enum(['any', 'back_order', 'out_of_stock', 'low_stock'])
        .optional()
        .describe('Only items with this alert. `any`: with an alert.'),
      limit: limitField,
      cursor: z
        .string()
        .max(1_500)
        .optional()
        .describe('`nextCursor` of the previous page. Keep the other parameters.'),
      format: formatQuery,
    }),
    response: z
      .object({
        items: z.array(stockItemViewSchema.extend({ partnerId: z.string(), partnerUid: z.string() })),
        nextCursor: z.string().nullable(),
      })
      .meta({ id: 'StockItemPage' }),
    handler: async ({ query: { limit, cursor, format, ...filter } }) => {
      if (format === 'csv') {
        return csvResponse<PartnerStockItem>({
          name: 'stock-items',
          columns: {
            partner: ({ partnerUid }) => partnerUid,
            partnerSku: ({ partnerSku }) => partnerSku,
            productName: ({ productName }) => productName,
            productUid: ({ productUid }) => productUid,
            alert: ({ alertUid }) => alertUid,
            quantity: ({ quantity }) => quantity,
            reserved: ({ reserved }) => reserved,
            backorder: ({ backorder }) => backorder,
            minStock: ({ minStock }) => minStock,
            maxStock: ({ maxStock }) => maxStock,
            quantityOrdered: ({ quantityOrdered }) => quantityOrdered,
            supplier: ({ supplierUid }) => supplierUid,
          },
          read: (page) => listStockItemsOfPartners(sql, filter, page),
        });
      }
      const after = cursor === undefined ? null : decode(cursor);
      const rows = await listStockItemsOfPartners(sql, filter, { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, encode);
      return { items: [...page], nextCursor };
    },
  });
}
