import type { SeenPrintOrder } from '../../../sandbox';
import type { BehaviourName } from '../../../sandbox/behaviours';
import type { TrackingStatus } from '../../../src/consignments/domain/tracking-status';
import {
  type ItemStatus,
  isProgress,
  type OrderStatus,
  PROGRESS_RANK,
  type ProgressStatus,
} from '../../../src/orders/domain/lifecycle/statuses';
import { orderWorkflowId } from '../../../src/platform/domain/workflows';
import { recordTrackingEvents } from '../../../src/shipping/tracking/tracking';
import { eventually } from '../../support/eventually';
import type { TestStack } from '../../support/stack';
import { address, orderOf, poster, sticker } from './client-orders';

/** Orders for tests of order runs, and helpers that wait for them and read their rows. */

export type Address = typeof address & { readonly addressLine2?: string };

/** An order of posters, with stickers as an optional second item. It has retail prices, so that any partner can make it. */
export function orderBody(
  stack: TestStack,
  orderReferenceId: string,
  options: {
    readonly items?: 1 | 2;
    readonly quantity?: number;
    readonly address?: Partial<Address>;
    readonly packagingInstructions?: NonNullable<Parameters<typeof orderOf>[1]>['packagingInstructions'];
  } = {},
) {
  const items = [poster(stack, { quantity: options.quantity ?? 1, retailPriceInclVat: 20 })];
  if (options.items === 2) items.push(sticker(stack, { retailPriceInclVat: 3 }));
  return orderOf(stack, {
    orderReferenceId,
    retailCurrency: 'EUR',
    retailShippingPriceInclVat: 5,
    shippingAddress: { ...address, lastName: orderReferenceId, ...options.address },
    items,
    ...(options.packagingInstructions === undefined ? {} : { packagingInstructions: options.packagingInstructions }),
  });
}

/** Submits an order with a trace context. Returns its id. */
export async function submittedInTrace(stack: TestStack, reference: string, traceparent: string): Promise<string> {
  const { apiKey, apiSecret } = stack.credentials.client;
  const response = await fetch(`${stack.baseUrl}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': `${apiKey}:${apiSecret}`, traceparent },
    body: JSON.stringify(orderBody(stack, reference)),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

/** Sets a sandbox partner's behaviour for the next print order of the reference. Later ones are treated well. */
export async function misbehaveOnce(
  stack: TestStack,
  partner: string,
  behaviour: BehaviourName,
  orderReferenceId: string,
  amount?: number,
): Promise<void> {
  const response = await fetch(`${stack.sandbox.controlUrl}/partners/${partner}/behaviour`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ behaviour, contains: `"lastName":"${orderReferenceId}"`, times: 1, amount }),
  });
  if (!response.ok) throw new Error(await response.text());
}

export interface OrderNow {
  readonly status: OrderStatus;
  readonly financialStatus: string;
  /** The reasons, separated by spaces. */
  readonly attention: string | null;
  readonly items: readonly { readonly id: string; readonly status: string }[];
  /** Number of shipments by status. */
  readonly shipments: Readonly<Record<string, number>>;
  readonly printOrderIds: readonly string[];
}

/** Reads an order's rows. */
export async function orderNow({ services: { sql } }: TestStack, orderId: string): Promise<OrderNow> {
  const [row] = await sql<(Omit<OrderNow, 'shipments'> & { shipments: Record<string, number> | null })[]>`
    SELECT o.fulfillment_status AS status, o.financial_status, array_to_string(o.attention, ' ') AS attention,
      (SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'status', i.fulfillment_status) ORDER BY i.position)
        FROM order_items i WHERE i.order_id = o.id) AS items,
      (SELECT jsonb_object_agg(s.status, s.n) FROM (
        SELECT status, count(*) AS n FROM shipments WHERE order_id = o.id GROUP BY status) s) AS shipments,
      coalesce((SELECT array_agg(p.id::text ORDER BY p.id) FROM print_orders p WHERE p.order_id = o.id), '{}')
        AS print_order_ids
    FROM orders o WHERE o.id = ${orderId}`;
  return { ...row!, shipments: row!.shipments ?? {} };
}

/** Waits until an order meets a condition. @throws Error with its state after the timeout */
export async function orderUntil(
  stack: TestStack,
  orderId: string,
  isSo: (now: OrderNow) => boolean,
): Promise<OrderNow> {
  let now: OrderNow;
  return await eventually(
    async () => {
      now = await orderNow(stack, orderId);
      return isSo(now) ? now : undefined;
    },
    () => `order ${orderId} did not become what was awaited from ${JSON.stringify(now)}`,
  );
}

/** Returns what the sandbox's partners recorded about print orders. */
export function seenPrintOrders({ sandbox }: TestStack, ids: readonly string[]): SeenPrintOrder[] {
  return Object.values(sandbox.seen().partners)
    .flatMap(({ printOrders }) => printOrders)
    .filter(({ printOrderId }) => ids.includes(printOrderId));
}

/**
 * Returns the steps back in the logged statuses of an order's items. A reroute or reproduce starts again: the new print
 * order is not on its way.
 */
export async function stepsBack({ services: { sql } }: TestStack, orderId: string): Promise<string[]> {
  const rows = await sql<{ type: string; itemId: string; status: string | null }[]>`
    SELECT type, order_item_id::text AS item_id, data ->> 'status' AS status FROM order_events
    WHERE order_id = ${orderId} AND type IN ('status', 'reroute', 'reproduce') ORDER BY id`;
  const highest = new Map<string, ProgressStatus>();
  return rows.flatMap(({ type, itemId, status }) => {
    if (type !== 'status') highest.clear();
    if (status === null || !isProgress(status as ItemStatus)) return [];
    const after = status as ProgressStatus;
    const before = highest.get(itemId);
    if (before !== undefined && PROGRESS_RANK[before] > PROGRESS_RANK[after]) return [`${before} -> ${after}`];
    highest.set(itemId, after);
    return [];
  });
}

/** Waits until the workflow of an order has no workflow task: the records of its last one are written. */
export const atRest = ({ services: { temporal } }: TestStack, orderId: string) =>
  eventually(async () => {
    const { raw } = await temporal.workflow.getHandle(orderWorkflowId(orderId)).describe();
    return raw.pendingWorkflowTask == null ? true : undefined;
  });

/** Returns the current details of an order run, as the Temporal UI shows them. */
export async function currentDetails({ services }: TestStack, orderId: string): Promise<string> {
  const run = services.temporal.workflow.getHandle(orderWorkflowId(orderId));
  const metadata = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

export const is =
  (status: OrderStatus) =>
  (now: OrderNow): boolean =>
    now.status === status;

export interface HandedOver {
  readonly orderId: string;
  readonly printOrderId: string;
  /** Ids of the print jobs, in the order of the client's items. */
  readonly jobIds: readonly string[];
  readonly itemIds: readonly string[];
  /** Name of the partner of the print order. */
  readonly partner: string;
}

/** Submits an order and waits until prints-berlin has accepted its print order. */
export async function handedOver(
  stack: TestStack,
  orderReferenceId: string,
  options: Parameters<typeof orderBody>[2] = {},
): Promise<HandedOver> {
  const { id } = await stack.client.submitOrder({ body: orderBody(stack, orderReferenceId, options) });
  return await accepted(stack, id);
}

/**
 * Waits until partners have accepted an order's print orders. Earlier an operator's repair or a dispatch can be refused:
 * the plan and status `passed` are in Postgres before the order's run knows them.
 */
export async function accepted(stack: TestStack, orderId: string, printOrders = 1): Promise<HandedOver> {
  const { sql } = stack.services;
  return await eventually(
    async () => {
      const jobs = await sql<{ printOrderId: string; jobId: string; itemId: string; partner: string }[]>`
        SELECT p.id::text AS print_order_id, j.id::text AS job_id, j.order_item_id::text AS item_id, a.uid AS partner
        FROM print_orders p JOIN print_jobs j ON j.print_order_id = p.id JOIN partners a ON a.account_id = p.partner_id
        WHERE p.order_id = ${orderId} AND p.status = 'accepted' ORDER BY j.order_item_id`;
      if (new Set(jobs.map(({ printOrderId }) => printOrderId)).size !== printOrders) return undefined;
      return {
        orderId,
        printOrderId: jobs[0]!.printOrderId,
        jobIds: jobs.map(({ jobId }) => jobId),
        itemIds: jobs.map(({ itemId }) => itemId),
        partner: jobs[0]!.partner,
      };
    },
    async () => `not accepted: ${JSON.stringify(await orderNow(stack, orderId))}`,
  );
}

/** Returns a partner's clock that advances by one minute with each call. */
export function partnerClock(): () => string {
  let minutes = 0;
  return () => {
    minutes += 1;
    return new Date(Date.UTC(2026, 0, 5, 8, minutes)).toISOString();
  };
}

/** Reads the order's log, oldest first. @param ofType limits it to one type of entries */
export async function orderLog(
  { services: { sql } }: TestStack,
  orderId: string,
  ofType?: string,
): Promise<{ type: string; itemId: string | null; data: Record<string, unknown> }[]> {
  return await sql`
    SELECT type, order_item_id::text AS item_id, data FROM order_events
    WHERE order_id = ${orderId} AND type = coalesce(${ofType ?? null}, type) ORDER BY id`;
}

/** Does work while prints-berlin has another address for order updates or cancel requests. */
export async function withBerlin<T>(
  { services: { sql } }: TestStack,
  column: 'order_update_url' | 'order_cancel_url',
  url: string | null,
  work: () => Promise<T>,
): Promise<T> {
  const [before] = await sql<{ url: string }[]>`
    SELECT ${sql(column)} AS url FROM partners WHERE uid = 'prints-berlin'`;
  const set = (value: string | null) => sql`UPDATE partners SET ${sql(column)} = ${value} WHERE uid = 'prints-berlin'`;
  await set(url);
  try {
    return await work();
  } finally {
    await set(before!.url);
  }
}

/** Records an event of a parcel's carrier, once the tracking number is known. */
export async function carrierScans(
  { services: { sql } }: TestStack,
  trackingNumber: string,
  statusUid: TrackingStatus,
): Promise<void> {
  const { carrierUid } = await eventually(async () => {
    const [row] = await sql<{ carrierUid: string }[]>`
      SELECT carrier_uid FROM trackings WHERE tracking_number = ${trackingNumber}`;
    return row;
  });
  const occurredAt = new Date().toISOString();
  await recordTrackingEvents(sql, carrierUid, [
    { trackingNumber, statusUid, message: statusUid, eventId: null, signedBy: 'test', occurredAt },
  ]);
}

/** Records the carrier's `delivered` event for an order's parcel. */
export async function deliveredByCarrier(stack: TestStack, orderId: string): Promise<void> {
  const [parcel] = await stack.services.sql<{ trackingNumber: string }[]>`
    SELECT t.tracking_number FROM trackings t JOIN shipments s ON s.id = t.shipment_id WHERE s.order_id = ${orderId}`;
  await carrierScans(stack, parcel!.trackingNumber, 'delivered');
  await orderUntil(stack, orderId, is('delivered'));
}

/** Leaves of a request with an Idempotency-Key what a process leaves that is killed before it has stored the response. */
export async function loseResponse({ services: { sql } }: TestStack, key: string): Promise<void> {
  const { count } = await sql`
    UPDATE idempotency_keys SET status = NULL, body = NULL, locked_until = now() - interval '1 second' WHERE key = ${key}`;
  expect(count).toBe(1);
}
