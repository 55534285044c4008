import { z } from 'zod';
import { isUuid } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import { stockItemViewSchema } from '../../src/procurement/operator-schemas';
import { listStockItemsOfPartners, type StockItemPosition } from '../../src/procurement/stock-items';
import { invalidCursor, limitField, pageOf } from '../http/lists/cursor';
import { exportedList, formatQuery, PAGES } from '../http/lists/exported-list';
import { operatorsOnly, type Route } from '../http/route';

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
  return exportedList({
    csv: { name: 'stock-items', rows: 'items', pages: PAGES.byCursor },
    method: 'get',
    path: '/v1/operator/stock-items',
    operationId: 'listStockItemsOfPartners',
    onStandby: true,
    summary: 'List the stock items of all partners',
    description: 'By SKU, then partner.',
    tag: 'Operator: stock',
    access: operatorsOnly('viewer'),
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
    handler: async ({ query: { limit, cursor, ...filter } }) => {
      const after = cursor === undefined ? null : decode(cursor);
      const rows = await listStockItemsOfPartners(sql, filter, { limit: limit + 1, after });
      const { page, nextCursor } = pageOf(rows, limit, encode);
      return { items: page, nextCursor };
    },
  });
}
