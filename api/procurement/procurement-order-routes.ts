import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { day } from '../../src/platform/domain/fields';
import { toMinor } from '../../src/platform/domain/money';
import { procurementWorkflowId } from '../../src/platform/domain/workflows';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import { sendUpdate } from '../../src/platform/temporal/updates';
import { unavailable } from '../../src/platform/unavailable';
import {
  PROCUREMENT_RULES,
  PROCUREMENT_STATUSES,
  type ProcurementStep,
} from '../../src/procurement/domain/procurement-order';
import {
  pageQuerySchema,
  procurementEventSchema,
  procurementOrderViewSchema,
} from '../../src/procurement/operator-schemas';
import { BEGINS_OUT_OF_RANGE, beginsInRange, pageOfResults, pieces, sku } from '../../src/procurement/partner-schemas';
import {
  listProcurementOrders,
  procurementEvents,
  readProcurementOrder,
} from '../../src/procurement/procurement-orders';
import { procurementStepUpdate } from '../../workflows/procurement-order';
import type { ApiDeps } from '../deps';
import { exportedList, formatQuery, PAGES } from '../http/exported-list';
import { operatorsOnly, type Route, route } from '../http/route';

const group = { tag: 'Operator: procurement orders' } as const;

const orderParams = z.object({
  orderId: z.coerce
    .number()
    .pipe(z.int().min(1))
    .meta({ examples: [90_001] }),
});

/** Longest time that an update waits for a worker before the response is 503. */
const UPDATE_TIMEOUT_MS = 10_000;

/** @throws Refusal `NOT_FOUND` */
async function existingOrder(sql: Sql, orderId: number) {
  const order = await readProcurementOrder(sql, orderId);
  if (order === undefined) throw new Refusal('NOT_FOUND');
  return order;
}

/**
 * Sends a step to the workflow of the order, which applies one step after the other. Returns the order afterwards.
 * @throws Refusal `NOT_FOUND`; `CONFLICT` for a step that the status does not allow; `UNAVAILABLE` without a worker
 */
async function applyStep(sql: Sql, temporal: Client, orderId: number, step: ProcurementStep) {
  const order = await existingOrder(sql, orderId);
  if (order.status === 'invoiced') {
    throw new Refusal('CONFLICT', { message: `Procurement order ${orderId} is invoiced, which is final.` });
  }
  const handle = temporal.workflow.getHandle(procurementWorkflowId(orderId));
  try {
    const outcome = await sendUpdate(temporal, UPDATE_TIMEOUT_MS, () =>
      handle.executeUpdate(procurementStepUpdate, { args: [step] }),
    );
    if (!outcome.ok) throw new Refusal('CONFLICT', { message: outcome.reason });
  } catch (error) {
    // The order exists, but its workflow does not: it is about to start.
    if (error instanceof WorkflowNotFoundError) throw unavailable();
    throw error;
  }
  return await existingOrder(sql, orderId);
}

/** Routes with which operators read and move procurement orders. Suppliers have no accounts; they contact the operators. */
export function procurementOrderRoutes({ sql, temporal }: ApiDeps): Route[] {
  return [
    exportedList('GET /v1/operator/procurement-orders', {
      csv: { name: 'procurement-orders', rows: 'orders', pages: PAGES.byNumber },
      ...group,
      access: operatorsOnly('viewer'),
      operationId: 'searchProcurementOrders',
      onStandby: true,
      summary: 'List procurement orders of all partners',
      query: pageQuerySchema
        .extend({
          partnerId: z.uuid().optional(),
          status: z.enum(PROCUREMENT_STATUSES).optional(),
          attention: z.enum(['true']).optional().describe('Only orders that need attention.'),
          format: formatQuery,
        })
        .refine(beginsInRange, BEGINS_OUT_OF_RANGE),
      response: z.object({
        orders: z.array(procurementOrderViewSchema),
        pagination: pageOfResults,
      }),
      handler: async ({ query: { partnerId, status, attention, pageNumber, perPage } }) => {
        const page = { pageNumber, perPage };
        const filter = {
          partnerId,
          status: status === undefined ? [] : [status],
          needsAttention: attention !== undefined,
        };
        const { orders, total } = await listProcurementOrders(sql, filter, page);
        return { orders, pagination: { ...page, totalResult: total } };
      },
    }),
    route('GET /v1/operator/procurement-orders/{orderId}', {
      ...group,
      access: operatorsOnly('viewer'),
      operationId: 'getProcurementOrder',
      summary: 'Read a procurement order with its events',
      params: orderParams,
      response: procurementOrderViewSchema.extend({
        nextStatuses: z
          .array(z.enum(PROCUREMENT_STATUSES))
          .describe('To which an operator can move the order now. A move to invoiced also requires an invoice.'),
        events: z.array(procurementEventSchema),
      }),
      handler: async ({ params: { orderId } }) => {
        const [order, events] = await Promise.all([existingOrder(sql, orderId), procurementEvents(sql, orderId)]);
        return {
          ...order,
          nextStatuses: [...PROCUREMENT_RULES[order.status].next],
          events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
        };
      },
    }),
    route('POST /v1/operator/procurement-orders/{orderId}/transitions', {
      ...group,
      access: operatorsOnly('operator'),
      operationId: 'moveProcurementOrder',
      summary: 'Move a procurement order to its next status',
      description:
        'The statuses are supplier, confirmed, in-transit, delivered, verified, invoiced; confirmed can be skipped. ' +
        'Moving to the current status corrects the number and the shipping cost that are given. Moving to verified removes undelivered pieces from the quantity on ' +
        'order. Moving to invoiced requires an invoice.',
      idempotent: true,
      params: orderParams,
      body: z.object({
        status: z.enum(PROCUREMENT_STATUSES),
        reason: z.string().trim().min(1).max(500).optional(),
        partnerPoNumber: z.string().trim().min(1).max(100).optional(),
        shippingCost: z.number().min(0).max(10_000_000).optional().describe('In the supplier’s currency.'),
      }),
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body, account }) => {
        const { shippingCost, ...move } = body;
        const { supplierCurrency } = await existingOrder(sql, orderId);
        return await applyStep(sql, temporal, orderId, {
          type: 'move',
          actor: account.name,
          ...move,
          ...(shippingCost === undefined ? {} : { shippingCostMinor: toMinor(shippingCost, supplierCurrency) }),
        });
      },
    }),
    route('POST /v1/operator/procurement-orders/{orderId}/receipts', {
      ...group,
      access: operatorsOnly('operator'),
      operationId: 'receiveProcurementOrder',
      summary: 'Record received goods, in one or several deliveries',
      description:
        'A receiptId is counted once. The last outstanding piece moves the order to delivered. Goods offset the backorder first.',
      idempotent: true,
      params: orderParams,
      body: z.object({
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
      }),
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body: { receiptId, items }, account }) =>
        await applyStep(sql, temporal, orderId, { type: 'receipt', actor: account.name, receiptId, items }),
    }),
    route('POST /v1/operator/procurement-orders/{orderId}/invoices', {
      ...group,
      access: operatorsOnly('operator'),
      operationId: 'attachProcurementInvoice',
      summary: 'Attach a supplier’s invoice',
      description: 'A URL is attached once.',
      idempotent: true,
      params: orderParams,
      body: z.object({
        url: z
          .url({ protocol: /^https$/ })
          .max(2000)
          .meta({ examples: ['https://supplier.example/invoices/88.pdf'] }),
        originalFilename: z.string().trim().min(1).max(255),
        referenceId: z.string().trim().min(1).max(100).nullable().default(null),
        dueDate: day.nullable().default(null),
      }),
      response: procurementOrderViewSchema,
      handler: async ({ params: { orderId }, body, account }) =>
        await applyStep(sql, temporal, orderId, { type: 'invoice', actor: account.name, ...body }),
    }),
  ];
}
