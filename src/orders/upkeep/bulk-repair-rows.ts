import { bulkRepairWorkflowId, WORKFLOW_TYPES } from '../../platform/domain/workflows';
import { uuidv7 } from '../../platform/ids';
import { enqueue } from '../../platform/outbox/outbox';
import { json, type Queryable, type Transaction } from '../../platform/postgres';
import type { ChangeOutcome } from '../domain/change-outcome';
import type { RepairRequest } from '../domain/lifecycle/requests';
import type { BulkRepairRequest } from '../domain/lifecycle/rules/possible-repairs';
import { matchesFilters, type OrderSearch } from '../reading/order-search';
import type { BulkRepairProgress } from './bulk-repair-schemas';

export type RepairOutcome = 'done' | 'refused' | 'failed' | 'canceled';

export interface BulkRepair {
  readonly id: string;
  readonly action: BulkRepairRequest['action'];
  readonly reason: string;
  readonly partnerId: string | null;
  readonly requestedBy: string;
  readonly requestedByName: string;
  readonly createdAt: Date;
  readonly cancelRequestedAt: Date | null;
  readonly endedAt: Date | null;
}

export interface LeftOrder {
  readonly orderId: string;
  readonly requests: readonly RepairRequest[] | null;
  /** Including the one that begins now. */
  readonly attempts: number;
}

const columns = (sql: Queryable) =>
  sql`id, action, reason, partner_id, requested_by, requested_by_name, created_at, cancel_requested_at, ended_at`;

/** Stores a bulk repair and enqueues the start of its workflow. Returns its id. */
export async function createBulkRepair(
  tx: Transaction,
  request: BulkRepairRequest & { readonly byId: string },
  orderIds: readonly string[],
): Promise<string> {
  const { action, by, byId, reason, partnerId } = request;
  const id = uuidv7();
  await tx`
    INSERT INTO bulk_repairs (id, action, reason, partner_id, requested_by, requested_by_name)
    VALUES (${id}, ${action}, ${reason}, ${partnerId}, ${byId}, ${by})`;
  await tx`
    INSERT INTO bulk_repair_orders (bulk_repair_id, order_id)
    SELECT ${id}, id FROM unnest(${[...orderIds]}::uuid[]) o (id)`;
  await enqueue(tx, {
    kind: 'start_workflow',
    target: bulkRepairWorkflowId(id),
    payload: {
      workflowType: WORKFLOW_TYPES.bulkRepair,
      args: [{ bulkRepairId: id }],
      summary: `${action} of ${orderIds.length} orders`,
    },
  });
  return id;
}

export async function bulkRepairById(sql: Queryable, id: string): Promise<BulkRepair | undefined> {
  const [row] = await sql<BulkRepair[]>`SELECT ${columns(sql)} FROM bulk_repairs WHERE id = ${id}`;
  return row;
}

/** Returns a page of bulk repairs, newest first. @param page `after`: id of the previous page's last one */
export async function listBulkRepairs(
  sql: Queryable,
  page: { readonly limit: number; readonly after?: string | undefined },
): Promise<BulkRepair[]> {
  return await sql<BulkRepair[]>`
    SELECT ${columns(sql)} FROM bulk_repairs ${page.after === undefined ? sql`` : sql`WHERE id < ${page.after}`}
    ORDER BY id DESC LIMIT ${page.limit}`;
}

/** Returns how far bulk repairs are, by id. Archived orders do not count: a bulk repair may have none. */
export async function progressOf(
  sql: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, BulkRepairProgress>> {
  const rows = await sql<(BulkRepairProgress & { id: string })[]>`
    SELECT b.id, count(o)::int AS total, count(*) FILTER (WHERE outcome = 'done')::int AS done,
      count(*) FILTER (WHERE outcome = 'refused')::int AS refused, count(*) FILTER (WHERE outcome = 'failed')::int AS failed,
      count(*) FILTER (WHERE outcome = 'canceled')::int AS canceled, count(o) FILTER (WHERE outcome IS NULL)::int AS left
    FROM bulk_repairs b LEFT JOIN bulk_repair_orders o ON o.bulk_repair_id = b.id
    WHERE b.id = ANY(${[...ids]}::uuid[]) GROUP BY b.id`;
  return new Map(rows.map(({ id, ...progress }) => [id, progress]));
}

/** Returns why bulk repairs were started and what came of them, by id. */
export async function auditedBulkRepairs(
  sql: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly reason: string; readonly outcome: ChangeOutcome }>> {
  if (ids.length === 0) return new Map();
  const repairs = await sql<{ id: string; reason: string }[]>`
    SELECT id, reason FROM bulk_repairs WHERE id = ANY(${[...ids]}::uuid[])`;
  const progress = await progressOf(sql, ids);
  return new Map(
    repairs.map(({ id, reason }) => {
      const { total, done, left } = progress.get(id)!;
      const state = left > 0 ? 'waiting' : done > 0 ? 'done' : 'refused';
      return [id, { reason, outcome: { state, partnerUid: null, message: `${done} of ${total} orders repaired` } }];
    }),
  );
}

/** Returns why orders were not repaired, the most frequent reason first. */
export async function reasonsOf(
  sql: Queryable,
  id: string,
  limit: number,
): Promise<{ outcome: RepairOutcome; message: string; count: number; orderIds: string[] }[]> {
  return await sql`
    SELECT outcome, message, count(*)::int AS count, (array_agg(order_id::text ORDER BY order_id))[1:100] AS order_ids
    FROM bulk_repair_orders WHERE bulk_repair_id = ${id} AND outcome IN ('refused', 'failed')
    GROUP BY outcome, message ORDER BY count(*) DESC, message LIMIT ${limit}`;
}

/** Requests that a bulk repair stops after the orders in progress. Returns false when it has ended. */
export async function requestCancel(sql: Queryable, id: string): Promise<boolean> {
  const { count } = await sql`
    UPDATE bulk_repairs SET cancel_requested_at = coalesce(cancel_requested_at, now()) WHERE id = ${id} AND ended_at IS NULL`;
  return count > 0;
}

/** Returns up to `limit` orders that are left, in the order of their ids, and counts an attempt for each. */
export async function takeOrders(
  sql: Queryable,
  id: string,
  { limit }: { readonly limit: number },
): Promise<LeftOrder[]> {
  return await sql<LeftOrder[]>`
    UPDATE bulk_repair_orders b SET attempts = b.attempts + 1
    FROM (SELECT order_id FROM bulk_repair_orders
          WHERE bulk_repair_id = ${id} AND outcome IS NULL
          ORDER BY order_id LIMIT ${limit}) next
    WHERE b.bulk_repair_id = ${id} AND b.order_id = next.order_id
    RETURNING b.order_id, b.requests, b.attempts`;
}

export async function storeRequests(
  sql: Queryable,
  id: string,
  orderId: string,
  requests: readonly RepairRequest[],
): Promise<void> {
  await sql`
    UPDATE bulk_repair_orders SET requests = ${json(sql, requests)} WHERE bulk_repair_id = ${id} AND order_id = ${orderId}`;
}

export async function storeOutcome(
  sql: Queryable,
  id: string,
  orderId: string,
  { outcome, message }: { readonly outcome: RepairOutcome; readonly message: string | null },
): Promise<void> {
  await sql`
    UPDATE bulk_repair_orders SET outcome = ${outcome}, message = ${message}
    WHERE bulk_repair_id = ${id} AND order_id = ${orderId} AND outcome IS NULL`;
}

/** Ends a bulk repair. Orders that are left count as canceled. */
export async function endBulkRepair(tx: Queryable, id: string): Promise<void> {
  await tx`
    UPDATE bulk_repair_orders SET outcome = 'canceled' WHERE bulk_repair_id = ${id} AND outcome IS NULL`;
  await tx`UPDATE bulk_repairs SET ended_at = coalesce(ended_at, now()) WHERE id = ${id}`;
}

/** Returns up to `limit` orders that need attention and match every given filter, oldest first. */
export async function ordersToRepair(sql: Queryable, filter: OrderSearch, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    SELECT o.id FROM orders o WHERE ${matchesFilters(sql, { ...filter, attention: filter.attention ?? [] })}
    ORDER BY o.created_at, o.id LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

export async function existingOrders(sql: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM orders WHERE id = ANY(${[...ids]}::uuid[]) AND fulfillment_status <> 'draft'`;
  return rows.map(({ id }) => id);
}

/** Deletes bulk repairs that ended more than 90 days ago, one at a time with its orders. Returns their number. */
export async function pruneBulkRepairs(sql: Queryable): Promise<number> {
  for (let pruned = 0; ; pruned += 1) {
    const { count } = await sql`
      DELETE FROM bulk_repairs WHERE id = (
        SELECT id FROM bulk_repairs WHERE ended_at < now() - interval '90 days' ORDER BY id LIMIT 1)`;
    if (count === 0) return pruned;
  }
}
