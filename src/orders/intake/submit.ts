import type { z } from 'zod';
import { claimWithResponses, type KeyedRequest } from '../../accounts/idempotency-keys';
import type { ResolvedProduct } from '../../catalog/domain/product';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { groupCommit } from '../../platform/group-commit';
import { uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import { currentTraceparent } from '../../platform/tracing/spans';
import type { OrderStatus } from '../domain/lifecycle/statuses';
import { submittedColumns } from '../planning/order-fields';
import type { SubmitOrder, submittedOrderSchema } from '../planning/order-schemas';
import type { RunSettings } from '../run/settings';
import { insertItems, insertPackingSlips } from './item-rows';
import { runStart } from './start-run';

export interface Submission {
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
  readonly order: SubmitOrder;
  /** One for each item, in the same order. */
  readonly products: readonly ResolvedProduct[];
  readonly reprint?: { readonly of: string; readonly charged: boolean };
  /** The Idempotency-Key of the request. It is stored with the response in the statement that stores the order. */
  readonly claim: KeyedRequest | null;
}

/** A submission with the trace of its request. A group commit writes those of several requests. */
type TracedSubmission = Submission & { readonly traceparent: string | null };

type SubmittedOrder = z.output<typeof submittedOrderSchema>;

/** Why a submission stored nothing: an earlier request has its Idempotency-Key, or it conflicts with another order. */
type NotStored = 'key-taken' | Conflict;

/**
 * Another order that a submission conflicts with. `duplicate`: it has the reference. `unknown`: the client has no order to
 * replace with this id and reference. `open`: the order is not failed or canceled. `replaced`: by `order` already.
 */
export type Conflict =
  | { readonly conflict: 'unknown' }
  | {
      readonly conflict: 'duplicate' | 'open' | 'replaced';
      readonly order: { readonly id: string; readonly status: OrderStatus };
    };

const BATCH = 50;

/**
 * Returns the function that stores submitted orders. The rows of an order, its Idempotency-Key with the response and,
 * unless it is a draft, the outbox row that starts its workflow are written in one transaction. The caller wakes the
 * outbox afterwards. Concurrent submissions share a group commit.
 */
export function createIntake(sql: Sql, settings: RunSettings) {
  const insert = groupCommit(
    (submissions: readonly TracedSubmission[]) => insertOrders(sql, submissions, settings),
    BATCH,
  );
  return async (submission: Submission): Promise<SubmittedOrder | NotStored> => {
    const traced = { ...submission, traceparent: currentTraceparent() };
    if (!submission.order.preventDuplicate && submission.order.replaces === undefined) return await insert(traced);
    return await inTransaction(sql, (tx) => submitUnlessConflict(tx, submission, settings));
  };
}

/** Stores a submission that conflicts with no other order, in the transaction of the caller, who wakes the outbox after its commit. */
export async function submitUnlessConflict(
  tx: Queryable,
  submission: Submission,
  settings: RunSettings,
): Promise<SubmittedOrder | NotStored> {
  return (await conflictOf(tx, submission)) ?? (await submitWith(tx, submission, settings));
}

/** Stores a submission in the transaction of the caller, who wakes the outbox after its commit. */
export async function submitWith(
  tx: Queryable,
  submission: Submission,
  settings: RunSettings,
): Promise<SubmittedOrder | 'key-taken'> {
  const [submitted] = await insertOrders(tx, [{ ...submission, traceparent: currentTraceparent() }], settings);
  return submitted!;
}

export async function lockReference(tx: Queryable, clientId: string, reference: string): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${clientId}:${reference}`}, 0))`;
}

/**
 * Returns the order that a submission conflicts with, or null. The lock makes submissions with equal references wait until
 * the first has committed.
 */
async function conflictOf(tx: Queryable, { clientId, order }: Submission): Promise<Conflict | null> {
  const { orderReferenceId: reference, replaces = null, preventDuplicate = false } = order;
  await lockReference(tx, clientId, reference);
  // The order that is replaced comes first, and the newest that no other replaces after it.
  const found = await tx<{ id: string; status: OrderStatus; successor: string | null; successorStatus: OrderStatus }[]>`
    WITH named AS (
      SELECT id, fulfillment_status, created_at, replaces_id FROM orders
      WHERE client_id = ${clientId} AND order_reference_id = ${reference}
      UNION ALL
      SELECT id, fulfillment_status, created_at, replaces_id FROM archived_orders
      WHERE client_id = ${clientId} AND order_reference_id = ${reference})
    SELECT o.id, o.fulfillment_status AS status, n.id AS successor, n.fulfillment_status AS successor_status
    FROM named o LEFT JOIN named n ON n.replaces_id = o.id
    WHERE (o.id = ${replaces} OR n.id IS NULL)
    ORDER BY o.id IS NOT DISTINCT FROM ${replaces}::uuid DESC, o.created_at DESC, o.id DESC LIMIT 2`;
  const replaced = found.find(({ id }) => id === replaces);
  if (replaces !== null) {
    if (replaced === undefined) return { conflict: 'unknown' };
    const { successor, successorStatus, status } = replaced;
    if (successor !== null) return { conflict: 'replaced', order: { id: successor, status: successorStatus } };
    if (status !== 'failed' && status !== 'canceled') return { conflict: 'open', order: replaced };
  }
  const duplicate = found.find((other) => other !== replaced);
  return preventDuplicate && duplicate !== undefined ? { conflict: 'duplicate', order: duplicate } : null;
}

/**
 * Inserts orders with one statement, which is one transaction. Orders whose Idempotency-Key is taken are left out.
 * Returns one result for each, in the same order.
 */
async function insertOrders(
  sql: Queryable,
  submissions: readonly TracedSubmission[],
  settings: RunSettings,
): Promise<(SubmittedOrder | 'key-taken')[]> {
  const identified = submissions.map((submission) => ({ ...submission, id: uuidv7() }));
  const written = firstOfEachKey(identified);
  const orders = written.map((each) => submittedRow(each, settings));
  const columns = sql.unsafe(Object.keys(orders[0]!.order).join(', '));
  const stored = await sql<{ id: string; createdAt: string }[]>`
    WITH requested AS (
      SELECT *, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now_text
      FROM jsonb_to_recordset(${json(sql, orders)}) AS o (
        id uuid, client_id uuid, "order" jsonb, reprint_of uuid, charged boolean, workflow_id text, start jsonb,
        traceparent text, operation_id text, key text, fingerprint text)
    ), claimed AS (
      ${claimWithResponses(
        sql,
        sql`
          SELECT client_id AS account_id, operation_id, key, fingerprint, jsonb_build_object(
            'id', id, 'orderReferenceId', "order" ->> 'order_reference_id', 'createdAt', now_text) AS body
          FROM requested WHERE key IS NOT NULL`,
      )}
    ), given AS (
      SELECT * FROM requested
      WHERE key IS NULL OR (client_id, key) IN (SELECT account_id, key FROM claimed)
    ), new_orders AS (
      INSERT INTO orders (id, client_id, reprint_of, charged, ${columns}, traceparent, ordered_at, channel)
      SELECT given.id, given.client_id, given.reprint_of, given.charged, ${columns},
        CASE WHEN start IS NOT NULL THEN given.traceparent END, CASE WHEN start IS NOT NULL THEN now() END,
        coalesce((SELECT a.settings ->> 'channel' FROM accounts a WHERE a.id = given.client_id), 'api')
      FROM given, jsonb_populate_record(NULL::orders, given."order") AS o
    ), ${insertItems(sql, written, sql`i.order_id IN (SELECT id FROM given)`)}, new_packing_slips AS (
      ${insertPackingSlips(sql, written, sql`s.order_id IN (SELECT id FROM given)`)}
    ), starts AS (
      INSERT INTO outbox (kind, target, payload, traceparent)
      SELECT 'start_workflow', given.workflow_id, jsonb_set(given.start, '{args,0,items}', i.items), given.traceparent
      FROM given JOIN (
        SELECT order_id, jsonb_agg(jsonb_build_object('id', id::text, 'quantity', quantity) ORDER BY position) AS items
        FROM new_items GROUP BY order_id) i ON i.order_id = given.id
      WHERE given.start IS NOT NULL
    )
    SELECT id, now_text AS created_at FROM given`;
  const createdAt = new Map(stored.map((row) => [row.id, row.createdAt]));
  return identified.map(({ id, order }) =>
    createdAt.has(id) ? { id, orderReferenceId: order.orderReferenceId, createdAt: createdAt.get(id)! } : 'key-taken',
  );
}

/** Returns the submissions without those whose Idempotency-Key an earlier one of the list has. */
function firstOfEachKey<Each extends Submission>(submissions: readonly Each[]): Each[] {
  const seen = new Set<string>();
  return submissions.filter(({ claim }) => {
    if (claim === null) return true;
    const name = `${claim.accountId} ${claim.key}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function submittedRow(
  {
    id,
    clientId,
    clientName,
    requestId,
    order,
    reprint,
    claim,
    traceparent,
  }: TracedSubmission & { readonly id: string },
  settings: RunSettings,
) {
  return {
    id,
    client_id: clientId,
    order: submittedColumns(order, uuidv7(), requestId),
    reprint_of: reprint?.of ?? null,
    charged: reprint?.charged ?? true,
    traceparent,
    workflow_id: orderWorkflowId(id),
    start: order.orderType === 'draft' ? null : runStart({ id, clientId, clientName, requestId, order }, settings),
    operation_id: claim?.operationId ?? null,
    key: claim?.key ?? null,
    fingerprint: claim?.fingerprint.toString('hex') ?? null,
  };
}
