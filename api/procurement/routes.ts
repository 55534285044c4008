import { adjustStock } from '../../src/procurement/adjust-stock';
import { listConsumption } from '../../src/procurement/consumption';
import { listProcurementOrders, partnerCurrency } from '../../src/procurement/procurement-orders';
import {
  adjustStockRequestSchema,
  adjustStockResponseSchema,
  consumptionListRequestSchema,
  consumptionListResponseSchema,
  inventoryListRequestSchema,
  inventoryListResponseSchema,
  orderListRequestSchema,
  orderListResponseSchema,
} from '../../src/procurement/schemas';
import { listStockItems } from '../../src/procurement/stock-items';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

const group = {
  method: 'post',
  tag: 'Procurement',
  access: { credentials: 'key', roles: ['partner'] },
  errors: 'plain',
} as const;

/** `dateTo` is now when only `dateFrom` is given (interface "Procurement"). */
function periodOf(filter: { dateFrom?: Date | undefined; dateTo?: Date | undefined }) {
  const from = filter.dateFrom ?? null;
  return { from, to: filter.dateTo ?? (from === null ? null : new Date()) };
}

/** The interface's procurement group: a partner's own procurement orders and stock. */
export function procurementRoutes({ sql }: ApiDeps): Route[] {
  return [
    route({
      ...group,
      path: '/procurement/v1/order/list',
      operationId: 'listProcurementOrders',
      summary: 'List procurement orders',
      description:
        'Newest first. Costs are in the partner’s currency, at the rates of the day the order was raised.',
      body: orderListRequestSchema,
      response: orderListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const [{ orders, total }, currency] = await Promise.all([
          listProcurementOrders(
            sql,
            { partnerId: account.id, statuses: filterBy.status, ...periodOf(filterBy) },
            pagination,
          ),
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
            createdAt: order.createdAt.toISOString(),
            items: order.items,
            invoices: order.invoices,
          })),
          pagination: { ...pagination, totalResult: total },
          currency,
        };
      },
    }),
    route({
      ...group,
      path: '/procurement/v1/inventory/consumption/list',
      operationId: 'listInventoryConsumption',
      summary: 'List inventory consumption per print job',
      description: 'What print jobs have reserved and what they have used, newest first.',
      body: consumptionListRequestSchema,
      response: consumptionListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const { items, total } = await listConsumption(
          sql,
          account.id,
          { ...periodOf(filterBy), partnerSkus: filterBy.partnerSku, printJobIds: filterBy.printJobId },
          pagination,
        );
        return {
          items: items.map((item) => ({ ...item, createdAt: item.createdAt.toISOString() })),
          pagination: { ...pagination, totalResult: total },
        };
      },
    }),
    route({
      ...group,
      path: '/procurement/v1/inventory/list',
      operationId: 'listInventory',
      summary: 'List inventory',
      body: inventoryListRequestSchema,
      response: inventoryListResponseSchema,
      handler: async ({ account, body: { filterBy, pagination } }) => {
        const { items, total } = await listStockItems(sql, account.id, {
          partnerSkus: filterBy.partnerSku,
          ...(pagination === undefined ? {} : { page: pagination }),
        });
        return {
          inventoryItem: items.map(
            ({ partnerSku, alertUid, quantity, minStock, maxStock, quantityOrdered }) => ({
              partnerSku,
              alertUid,
              quantity,
              minStock,
              maxStock,
              quantityOrdered,
            }),
          ),
          pagination:
            pagination === undefined
              ? null
              : { ...pagination, totalPages: Math.ceil(total / pagination.perPage), totalItems: total },
        };
      },
    }),
    route({
      ...group,
      path: '/procurement/v1/inventory/adjust-stock',
      operationId: 'adjustStock',
      summary: 'Add to or consume stock',
      description:
        'Every adjustment stands for itself: check its success flag. One transaction, in the order given. ' +
        'Stock that is reserved for print jobs is not consumed; what exceeds the rest becomes a backorder.',
      errors: 'adjust-stock',
      idempotent: true,
      body: adjustStockRequestSchema,
      response: adjustStockResponseSchema,
      handler: async ({ account, body: { adjustments } }) => ({
        updates: await adjustStock(sql, account.id, adjustments),
      }),
    }),
  ];
}
