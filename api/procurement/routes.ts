import { Readable } from 'node:stream';
import type { Sql } from '../../src/platform/postgres';
import { adjustStock } from '../../src/procurement/adjust-stock';
import { listConsumption } from '../../src/procurement/consumption';
import {
  adjustStockRequestSchema,
  adjustStockResponseSchema,
  consumptionListRequestSchema,
  consumptionListResponseSchema,
  inventoryListRequestSchema,
  inventoryListResponseSchema,
  orderListRequestSchema,
  orderListResponseSchema,
} from '../../src/procurement/partner-schemas';
import { listProcurementOrders, partnerCurrency } from '../../src/procurement/procurement-orders';
import { listStockItems, type StockItemView } from '../../src/procurement/stock-items';
import type { ApiDeps } from '../deps';
import { RawResponse, type Route, route } from '../http/route';

const group = {
  tag: 'Procurement',
  access: { credentials: 'key', roles: ['partner'] },
  errors: 'plain',
} as const;

/** Items per database read when a partner requests its whole stock. */
const CHUNK = 5_000;

/** Returns the six fields of an inventory item (operation `listInventory`). */
function inventoryItem({ partnerSku, alertUid, quantity, minStock, maxStock, quantityOrdered }: StockItemView) {
  return { partnerSku, alertUid, quantity, minStock, maxStock, quantityOrdered };
}

/**
 * Streams a large stock in chunks. A million items are 130 MB of JSON; built in one piece they took 490 MB of memory and
 * 7 s. Items are never deleted, so pages do not shift.
 */
function streamedInventory(sql: Sql, partnerId: string, first: { items: StockItemView[]; total: number }): RawResponse {
  const text = (items: readonly StockItemView[]) => items.map((item) => JSON.stringify(inventoryItem(item))).join(',');
  async function* chunks() {
    yield `{"inventoryItem":[${text(first.items)}`;
    for (let pageNumber = 2; (pageNumber - 1) * CHUNK < first.total; pageNumber += 1) {
      const { items } = await listStockItems(sql, partnerId, { page: { pageNumber, perPage: CHUNK } });
      yield `,${text(items)}`;
    }
    yield '],"pagination":null}';
  }
  return new RawResponse(200, { 'Content-Type': 'application/json; charset=utf-8' }, Readable.from(chunks()));
}

/** Routes of the procurement group (docs/procurement.md): a partner's own procurement orders and stock. */
export function procurementRoutes({ sql }: ApiDeps): Route[] {
  return [
    route('POST /procurement/v1/order/list', {
      ...group,
      operationId: 'listProcurementOrders',
      onStandby: true,
      isRead: true,
      summary: 'List procurement orders',
      description:
        'Newest first. Costs are in the currency of the partner, at the exchange rates of the day on which the order was raised.',
      body: orderListRequestSchema,
      response: orderListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const [{ orders, total }, currency] = await Promise.all([
          listProcurementOrders(sql, { partnerId: account.id, ...filterBy }, pagination),
          partnerCurrency(sql, account.id),
        ]);
        return {
          orders: orders.map((order) => ({
            orderId: order.orderId,
            partnerPoNumber: order.partnerPoNumber,
            supplierUid: order.supplierUid,
            status: order.status,
            currency: order.currency,
            shippingCost: order.shippingCost,
            totalCost: order.totalCost,
            createdAt: order.createdAt,
            items: order.items,
            invoices: order.invoices,
          })),
          pagination: { ...pagination, totalResult: total },
          currency,
        };
      },
    }),
    route('POST /procurement/v1/inventory/consumption/list', {
      ...group,
      operationId: 'listInventoryConsumption',
      onStandby: true,
      isRead: true,
      summary: 'List inventory consumption per print job',
      description:
        'Open and consumed reservations of print jobs, newest first. Those of archived orders are not listed.',
      body: consumptionListRequestSchema,
      response: consumptionListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const { items, total } = await listConsumption(sql, account.id, filterBy, pagination);
        return {
          items: items.map((item) => ({ ...item, createdAt: item.createdAt.toISOString() })),
          pagination: { ...pagination, totalResult: total },
        };
      },
    }),
    route('POST /procurement/v1/inventory/list', {
      ...group,
      operationId: 'listInventory',
      onStandby: true,
      isRead: true,
      summary: 'List inventory',
      body: inventoryListRequestSchema,
      response: inventoryListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const { partnerSku } = filterBy;
        if (pagination == null && partnerSku.length === 0) {
          const first = await listStockItems(sql, account.id, { page: { pageNumber: 1, perPage: CHUNK } });
          if (first.total > CHUNK) return streamedInventory(sql, account.id, first);
          return { inventoryItem: first.items.map(inventoryItem), pagination: null };
        }
        const page = pagination == null ? {} : { page: pagination };
        const { items, total } = await listStockItems(sql, account.id, { partnerSkus: partnerSku, ...page });
        return {
          inventoryItem: items.map(inventoryItem),
          pagination:
            pagination == null
              ? null
              : { ...pagination, totalPages: Math.ceil(total / pagination.perPage), totalItems: total },
        };
      },
    }),
    route('POST /procurement/v1/inventory/adjust-stock', {
      ...group,
      operationId: 'adjustStock',
      summary: 'Add to or consume stock',
      description:
        'Applies the adjustments in the given order, in one transaction. Each one can fail separately: check its success ' +
        'flag. Stock that is reserved for print jobs is not consumed; what exceeds the rest becomes a backorder.',
      errors: 'adjust-stock',
      idempotent: true,
      body: adjustStockRequestSchema,
      response: adjustStockResponseSchema,
      handler: async ({ account, body: { adjustments }, idempotency }) => ({
        updates: await adjustStock(sql, account.id, adjustments, (tx, updates) =>
          idempotency.complete(tx, { updates }),
        ),
      }),
    }),
  ];
}
