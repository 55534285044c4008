import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { day } from '../../src/platform/domain/fields';
import { toMinor } from '../../src/platform/domain/money';
import { procurementWorkflowId } from '../../src/platform/domain/workflows';
import { Refusal } from '../../src/platform/errors';
import { isUuid } from '../../src/platform/ids';
import { sendUpdate } from '../../src/platform/temporal/updates';
import { unavailable } from '../../src/platform/unavailable';
import { PROCUREMENT_STATUSES, type ProcurementStep } from '../../src/procurement/domain/procurement-order';
import { loadExchangeRates, ratesOn } from '../../src/procurement/exchange-rates';
import {
  exchangeRatesSchema,
  invoiceRequestSchema,
  moveRequestSchema,
  pageQuerySchema,
  procurementEventSchema,
  procurementOrderListSchema,
  procurementOrderViewSchema,
  receiptRequestSchema,
  stockItemListSchema,
  stockItemsRequestSchema,
  stockMovementSchema,
} from '../../src/procurement/operator-schemas';
import {
  listProcurementOrders,
  type OperatorProcurementOrder,
  procurementEvents,
  readProcurementOrder,
} from '../../src/procurement/procurement-orders';
import { listStockItems, setUpStockItems, stockMovements } from '../../src/procurement/stock-items';
import { procurementStepUpdate } from '../../workflows/procurement-order';
import type { ApiDeps } from '../deps';
import { type Route, route } from '../http/route';

const operator = { access: { credentials: 'key', roles: ['operator'] }, errors: 'coded' } as const;
const orders = { ...operator, tag: 'Operator: procurement orders' } as const;
const stock = { ...operator, tag: 'Operator: stock' } as const;

const orderParams = z.object({ orderId: z.coerce.number().pipe(z.int().min(1)) });
const partnerParams = z.object({ partnerId: z.string() });

/** Longest an update may wait for a worker before the answer is 503. */
const ANSWER_WITHIN_MS = 10_000;

function orderView(order: OperatorProcurementOrder): z.input<typeof procurementOrderViewSchema> {
  const { createdAt, updatedAt } = order;
  return { ...order, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** Operators watch and move procurement orders; suppliers tell them by telephone, mail or a script with an operator's key. */
export function procurementOrderRoutes({ sql, temporal }: ApiDeps): Route[] {
  const found = async (orderId: number): Promise<OperatorProcurementOrder> => {
    const order = await readProcurementOrder(sql, orderId);
    if (order === undefined) throw new Refusal('NOT_FOUND');
    return order;
  };

  /** Told to the order's run, which writes one step after the other. */
  const take = async (orderId: number, step: ProcurementStep) => {
    const order = await found(orderId);
    if (order.status === 'invoiced') {
      throw new Refusal('CONFLICT', { message: `Procurement order ${orderId} is invoiced: it is finished.` });
    }
    const run = temporal.workflow.getHandle(procurementWorkflowId(orderId));
    try {
      const outcome = await sendUpdate(temporal, ANSWER_WITHIN_MS, () =>
        run.executeUpdate(procurementStepUpdate, { args: [step] }),
      );
      if (!outcome.ok) throw new Refusal('CONFLICT', { message: outcome.reason });
    } catch (error) {
      // The order is there and its run is not: the start is on its way.
      if (error instanceof WorkflowNotFoundError) throw unavailable();
      throw error;
    }
    return orderView(await found(orderId));
  };

  return [
    route({
      ...orders,
      method: 'get',
      path: '/v1/operator/procurement-orders',
      operationId: 'searchProcurementOrders',
      summary: 'List procurement orders of all partners',
      query: pageQuerySchema.extend({
        partnerId: z.uuid().optional(),
        status: z.enum(PROCUREMENT_STATUSES).optional(),
        attention: z.enum(['true']).optional().describe('Only those that an operator should look at.'),
      }),
      response: procurementOrderListSchema,
      handler: async ({ query: { partnerId, status, attention, ...page } }) => {
        const filter = {
          partnerId: partnerId ?? null,
          statuses: status === undefined ? [] : [status],
          needsAttention: attention !== undefined,
          from: null,
          to: null,
        };
        const { orders, total } = await listProcurementOrders(sql, filter, page);
        return { orders: orders.map(orderView), pagination: { ...page, totalResult: total } };
      },
    }),
    route({
      ...orders,
      method: 'get',
      path: '/v1/operator/procurement-orders/{orderId}',
      operationId: 'getProcurementOrder',
      summary: 'Read a procurement order and what happened to it',
      params: orderParams,
      response: procurementOrderViewSchema.extend({ events: z.array(procurementEventSchema) }),
      handler: async ({ params: { orderId } }) => {
        const [order, events] = await Promise.all([found(orderId), procurementEvents(sql, orderId)]);
        return {
          ...orderView(order),
          events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
        };
      },
    }),
    route({
      ...orders,
      method: 'post',
      path: '/v1/operator/procurement-orders/{orderId}/transitions',
      operationId: 'moveProcurementOrder',
      summary: 'Move a procurement order to its next status',
      description:
        'supplier, confirmed, in-transit, delivered, verified, invoiced; a supplier may skip confirmed. ' +
        'Moving to the present status changes nothing. Verified closes what was not delivered; invoiced wants an invoice.',
      idempotent: true,
      params: orderParams,
      body: moveRequestSchema,
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body, account }) => {
        const { status, reason, partnerPoNumber, shippingCost } = body;
        const { supplierCurrency } = await found(orderId);
        return await take(orderId, {
          type: 'move',
          actor: account.name,
          status,
          ...(reason === undefined ? {} : { reason }),
          ...(partnerPoNumber === undefined ? {} : { partnerPoNumber }),
          ...(shippingCost === undefined
            ? {}
            : { shippingCostMinor: toMinor(shippingCost, supplierCurrency) }),
        });
      },
    }),
    route({
      ...orders,
      method: 'post',
      path: '/v1/operator/procurement-orders/{orderId}/receipts',
      operationId: 'receiveProcurementOrder',
      summary: 'Count received goods in, in parts if need be',
      description:
        'A receiptId is counted once. The last outstanding piece makes the order delivered. Goods go to the backorder first.',
      idempotent: true,
      params: orderParams,
      body: receiptRequestSchema,
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body: { receiptId, items }, account }) =>
        await take(orderId, { type: 'receipt', actor: account.name, receiptId, items }),
    }),
    route({
      ...orders,
      method: 'post',
      path: '/v1/operator/procurement-orders/{orderId}/invoices',
      operationId: 'attachProcurementInvoice',
      summary: 'Attach a supplier’s invoice',
      description: 'An address is attached once.',
      idempotent: true,
      params: orderParams,
      body: invoiceRequestSchema,
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body, account }) =>
        await take(orderId, { type: 'invoice', actor: account.name, ...body }),
    }),
  ];
}

/** Operators set up what partners keep in stock, look into the ledger, and load exchange rates. */
export function stockRoutes({ sql }: ApiDeps): Route[] {
  /** The id of a print partner; an account of another role keeps no stock. */
  const partner = async (partnerId: string): Promise<string> => {
    const rows = isUuid(partnerId) ? await sql`SELECT 1 FROM partners WHERE account_id = ${partnerId}` : [];
    if (rows.length === 0) throw new Refusal('NOT_FOUND');
    return partnerId;
  };

  return [
    route({
      ...stock,
      method: 'get',
      path: '/v1/partners/{partnerId}/stock-items',
      operationId: 'listStockItems',
      summary: 'List a partner’s stock items',
      params: partnerParams,
      query: pageQuerySchema.extend({ partnerSku: z.string().optional().describe('Comma-separated.') }),
      response: stockItemListSchema,
      handler: async ({ params: { partnerId }, query: { partnerSku, ...page } }) => {
        const partnerSkus = partnerSku?.split(',').filter((sku) => sku !== '') ?? [];
        const { items, total } = await listStockItems(sql, await partner(partnerId), { partnerSkus, page });
        const totalPages = Math.ceil(total / page.perPage);
        return { items, pagination: { ...page, totalPages, totalItems: total } };
      },
    }),
    route({
      ...stock,
      method: 'post',
      path: '/v1/partners/{partnerId}/stock-items',
      operationId: 'setUpStockItems',
      summary: 'Set a partner’s stock items up',
      description:
        'Adds new skus and changes names, limits, supplier and backorder policy of those that exist; levels change by adjust-stock only. ' +
        'An item that stands at its minimum or below is reordered at once.',
      params: partnerParams,
      body: stockItemsRequestSchema,
      response: z.object({ added: z.int(), changed: z.int() }),
      handler: async ({ params: { partnerId }, body: { items } }) => {
        const setups = items.map(({ supplier, ...item }) => ({
          ...item,
          ...(supplier === undefined
            ? {}
            : { supplier: { ...supplier, unitCostMinor: toMinor(supplier.unitCost, supplier.currency) } }),
        }));
        const added = await setUpStockItems(sql, await partner(partnerId), setups);
        return { added, changed: items.length - added };
      },
    }),
    route({
      ...stock,
      method: 'get',
      path: '/v1/partners/{partnerId}/stock-items/{partnerSku}/movements',
      operationId: 'listStockMovements',
      summary: 'Read the ledger of a stock item',
      description: 'Newest first; the deltas of all movements add up to the present level.',
      params: partnerParams.extend({ partnerSku: z.string() }),
      query: z.object({
        before: z
          .string()
          .regex(/^\d{1,18}$/)
          .optional()
          .describe('Id of the last movement of the page before.'),
        limit: z.coerce.number().pipe(z.int().min(1).max(1000)).default(100),
      }),
      response: z.object({ movements: z.array(stockMovementSchema) }),
      handler: async ({ params: { partnerId, partnerSku }, query: { before, limit } }) => {
        const movements = await stockMovements(sql, await partner(partnerId), partnerSku, {
          before: before ?? null,
          limit,
        });
        return { movements: movements.map((movement) => ({ ...movement, at: movement.at.toISOString() })) };
      },
    }),
    route({
      ...stock,
      method: 'get',
      path: '/v1/exchange-rates/{date}',
      operationId: 'getExchangeRates',
      summary: 'Read the exchange rates that hold on a day',
      params: z.object({ date: day }),
      response: exchangeRatesSchema.extend({ date: z.iso.date() }),
      handler: async ({ params: { date } }) => ({ ...(await ratesOn(sql, [date])).get(date)!, date }),
    }),
    route({
      ...stock,
      method: 'put',
      path: '/v1/exchange-rates/{date}',
      operationId: 'loadExchangeRates',
      summary: 'Load exchange rates of a day',
      description: 'They hold from that day on, until newer ones. Currencies that are left out keep theirs.',
      params: z.object({ date: day }),
      body: exchangeRatesSchema,
      response: exchangeRatesSchema.extend({ date: z.iso.date() }),
      handler: async ({ params: { date }, body: { perEuro } }) => {
        await loadExchangeRates(sql, { date, perEuro });
        return { ...(await ratesOn(sql, [date])).get(date)!, date };
      },
    }),
  ];
}
