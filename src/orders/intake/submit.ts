import type { z } from 'zod';
import { claimWithResponses, type KeyedRequest } from '../../accounts/idempotency-keys';
import type { ResolvedProduct } from '../../catalog/domain/product';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { groupCommit } from '../../platform/group-commit';
import { uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Queryable, type Sql } from '../../platform/postgres';
import { currentTraceparent } from '../../platform/tracing/spans';
import type { RunSettings } from '../run/settings';
import { insertItems, insertPackingSlips } from './item-rows';
import { ORDER_COLUMNS, orderColumns } from './order-columns';
import type { SubmitOrder, submittedOrderSchema } from './order-schemas';
import { runStart } from './start-run';

export interface Submission {
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
  readonly order: SubmitOrder;
  /** One for each item, in the same order. */
  readonly products: readonly ResolvedProduct[];
  /** The Idempotency-Key of the request. It is stored with the response in the statement that stores the order. */
  readonly claim: KeyedRequest | null;
}

/** A submission with the trace of its request. A group commit writes those of several requests. */
type TracedSubmission = Submission & { readonly traceparent: string | null };

type SubmittedOrder = z.output<typeof submittedOrderSchema>;

/**
 * Why a submission stored nothing. `key-taken`: an earlier request has its Idempotency-Key.
 * `duplicate-reference`: it has `preventDuplicate` and a reference that is already used.
 */
type NotStored = 'key-taken' | 'duplicate-reference';

/** Largest number of submissions in one statement. */
const BATCH = 50;

/**
 * Returns the function that stores submitted orders. The rows of an order, its Idempotency-Key with the response and, unless it is a draft, the outbox
 * row that starts its workflow are written in one transaction. The caller wakes the outbox afterwards. Concurrent
 * submissions share a group commit.
 */
export function createIntake(sql: Sql, settings: RunSettings) {
  const insert = groupCommit(
    (submissions: readonly TracedSubmission[]) => insertOrders(sql, submissions, settings),
    BATCH,
  );
  return async (submission: Submission): Promise<SubmittedOrder | NotStored> => {
    const traced = { ...submission, traceparent: currentTraceparent() };
    if (!submission.order.preventDuplicate) return await insert(traced);
    return await inTransaction(sql, async (tx): Promise<SubmittedOrder | NotStored> => {
      if (await isDuplicate(tx, submission)) return 'duplicate-reference';
      const [submitted] = await insertOrders(tx, [traced], settings);
      return submitted!;
    });
  };
}

/**
 * Returns true when the client has an order with the same reference. The lock makes submissions with equal references
 * wait until the first has committed.
 */
async function isDuplicate(tx: Queryable, { clientId, order }: Submission): Promise<boolean> {
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`${clientId}:${order.orderReferenceId}`}, 0))`;
  const [existing] = await tx`
    SELECT 1 FROM orders WHERE client_id = ${clientId} AND order_reference_id = ${order.orderReferenceId} LIMIT 1`;
  return existing !== undefined;
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
  const stored = await sql<{ id: string; createdAt: string }[]>`
    WITH requested AS (
      SELECT *, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS now_text
      FROM jsonb_to_recordset(${json(sql, orders)}) AS o (
        id uuid, client_id uuid, "order" jsonb, workflow_id text, start jsonb, traceparent text, operation_id text,
        key text, fingerprint text)
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
      INSERT INTO orders (id, client_id, ${sql.unsafe(ORDER_COLUMNS)}, traceparent, ordered_at, channel)
      SELECT given.id, given.client_id, ${sql.unsafe(ORDER_COLUMNS)}, CASE WHEN start IS NOT NULL THEN given.traceparent END,
        CASE WHEN start IS NOT NULL THEN now() END,
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
  { id, clientId, clientName, requestId, order, claim, traceparent }: TracedSubmission & { readonly id: string },
  settings: RunSettings,
) {
  return {
    id,
    client_id: clientId,
    order: orderColumns(order, uuidv7(), requestId),
    traceparent,
    workflow_id: orderWorkflowId(id),
    start: order.orderType === 'draft' ? null : runStart({ id, clientId, clientName, requestId, order }, settings),
    operation_id: claim?.operationId ?? null,
    key: claim?.key ?? null,
    fingerprint: claim?.fingerprint.toString('hex') ?? null,
  };
}
