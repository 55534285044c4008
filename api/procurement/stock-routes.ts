import { z } from 'zod';
import { text } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { requireRates } from '../../src/platform/exchange-rates';
import { isUuid, uuidv7 } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import { adjustStock } from '../../src/procurement/adjust-stock';
import { stockMovements } from '../../src/procurement/locked-stock-rows';
import {
  pageQuerySchema,
  partnerStockItemSchema,
  stockItemsRequestSchema,
  stockItemViewSchema,
  stockMovementSchema,
} from '../../src/procurement/operator-schemas';
import {
  adjustmentSchema,
  adjustStockResponseSchema,
  BEGINS_OUT_OF_RANGE,
  beginsInRange,
  pageOfItems,
} from '../../src/procurement/partner-schemas';
import {
  listStockItems,
  listStockItemsOfPartners,
  type StockItemPosition,
  setUpStockItems,
} from '../../src/procurement/stock-items';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { invalidCursor, limitField, pageOf } from '../http/list-query';
import { operatorsOnly, type Route, route } from '../http/route';

const group = { tag: 'Operator: stock' } as const;

const partnerParams = z.object({ partnerId: z.string() });

/** Returns the id of a print partner. @throws Refusal `NOT_FOUND` for any other account */
async function printPartner(sql: Sql, partnerId: string): Promise<string> {
  const rows = isUuid(partnerId) ? await sql`SELECT 1 FROM partners WHERE account_id = ${partnerId}` : [];
  if (rows.length === 0) throw new Refusal('NOT_FOUND');
  return partnerId;
}

/** Routes with which operators set up stock items and read the ledger. */
export function stockRoutes({ sql }: ApiDeps): Route[] {
  return [
    stockItemListRoute(sql),
    route('GET /v1/partners/{partnerId}/stock-items', {
      ...group,
      access: operatorsOnly('viewer'),
      operationId: 'listStockItems',
      onStandby: true,
      summary: 'List stock items of a partner',
      params: partnerParams,
      query: pageQuerySchema
        .extend({ partnerSku: z.string().max(12_000).optional().describe('Comma-separated.') })
        .refine(beginsInRange, BEGINS_OUT_OF_RANGE),
      response: z.object({
        items: z.array(stockItemViewSchema),
        pagination: pageOfItems,
      }),
      handler: async ({ params: { partnerId }, query: { partnerSku, ...page } }) => {
        const partnerSkus = partnerSku?.split(',').filter((sku) => sku !== '') ?? [];
        const { items, total } = await listStockItems(sql, await printPartner(sql, partnerId), {
          partnerSkus,
          page,
        });
        const totalPages = Math.ceil(total / page.perPage);
        return { items, pagination: { ...page, totalPages, totalItems: total } };
      },
    }),
    route('POST /v1/partners/{partnerId}/stock-items', {
      ...group,
      access: operatorsOnly('operator'),
      operationId: 'setUpStockItems',
      summary: 'Set up stock items of a partner',
      description:
        'Adds new SKUs, and changes names, limits, supplier and backorder policy of existing ones. Levels change only through ' +
        'adjust-stock. An item at or below its minimum is reordered immediately.',
      audits: ['stock.set_up'],
      params: partnerParams,
      body: stockItemsRequestSchema,
      response: z.object({ added: z.int(), changed: z.int() }),
      handler: async ({ params, body: { items }, audit }) => {
        await requireRates(
          sql,
          items.flatMap(({ supplier }, at) =>
            supplier === undefined
              ? []
              : [{ currency: supplier.currency, reference: `items[${at}].supplier.currency` }],
          ),
        );
        const partnerId = await printPartner(sql, params.partnerId);
        const added = await setUpStockItems(sql, partnerId, items, (tx, before, after) =>
          audit(tx, { action: 'stock.set_up', objectId: partnerId, before, after }),
        );
        return { added, changed: items.length - added };
      },
    }),
    route('POST /v1/partners/{partnerId}/stock-items/{partnerSku}/corrections', {
      ...group,
      access: operatorsOnly('operator'),
      operationId: 'correctStock',
      summary: 'Correct the stock of a partner',
      description: 'Adds or removes pieces, as the partner does with adjust-stock. The audit log has the reason.',
      audits: ['stock.correct'],
      idempotent: true,
      params: partnerParams.extend({ partnerSku: z.string() }),
      body: adjustmentSchema.pick({ adjustmentType: true, quantity: true }).extend({ reason: text(500) }),
      response: adjustStockResponseSchema.shape.updates.element,
      handler: async ({ params: { partnerId, partnerSku }, body: { reason, ...adjustment }, audit }) => {
        const referenceId = `correction-${uuidv7()}`;
        const corrected = [{ partnerSku, ...adjustment, referenceId }];
        const [update] = await adjustStock(sql, await printPartner(sql, partnerId), corrected, async (tx, [result]) => {
          const { success, message, previousQuantity, newQuantity } = result!;
          if (!success) throw new Refusal('NOT_FOUND', { message });
          const before = { partnerSku, quantity: previousQuantity };
          const after = { quantity: newQuantity, reference: referenceId, reason };
          await audit(tx, { action: 'stock.correct', objectId: partnerId, before, after });
        });
        return update!;
      },
    }),
    exportedList('GET /v1/partners/{partnerId}/stock-items/{partnerSku}/movements', {
      csv: { name: 'stock-movements', rows: 'movements', pages: PAGES.byLastId },
      ...group,
      access: operatorsOnly('viewer'),
      operationId: 'listStockMovements',
      onStandby: true,
      summary: 'Read the ledger of a stock item',
      description: 'Newest first. The deltas of all movements add up to the current level.',
      params: partnerParams.extend({ partnerSku: z.string() }),
      query: z.object({
        before: z
          .string()
          .regex(/^\d{1,18}$/)
          .optional()
          .describe('Id of the last movement of the previous page.'),
        limit: z.coerce.number().int().min(1).max(1000).default(100),
        format: formatQuery,
      }),
      response: z.object({ movements: z.array(stockMovementSchema) }),
      handler: async ({ params: { partnerId, partnerSku }, query: { before, limit } }) => {
        const movements = await stockMovements(sql, await printPartner(sql, partnerId), partnerSku, {
          before: before ?? null,
          limit,
        });
        return { movements: movements.map((movement) => ({ ...movement, at: movement.at.toISOString() })) };
      },
    }),
  ];
}

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
function stockItemListRoute(sql: Sql): Route {
  return exportedList('GET /v1/operator/stock-items', {
    csv: { name: 'stock-items', rows: 'items', pages: PAGES.byCursor },
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
        .enum(['any', 'back_order', 'out_of_stock', 'low_stock', 'report_differs'])
        .optional()
        .describe(
          'Only items with this alert. `any`: with an alert. `report_differs`: the partner reports another level.',
        ),
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
        items: z.array(partnerStockItemSchema),
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
