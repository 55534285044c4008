import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import { eraseRows } from '../orders/domain/personal-columns';
import { eraseArchived } from '../orders/reading/archived-order';
import {
  cancelShippingOrderWorkflowId,
  orderWorkflowId,
  shippingOrderWorkflowId,
  takeBackShippingOrderWorkflowId,
  voidShipmentWorkflowId,
} from '../platform/domain/workflows';
import type { ObjectStore } from '../platform/objects/object-store';
import { inTransaction, type Queryable, type Sql } from '../platform/postgres';
import { isErasable, type Subject } from './subjects';

export interface ErasureDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly temporal: Client;
}

/** Concurrent requests to Temporal. */
const CONCURRENCY = 10;
type WorkflowExecution = { readonly workflowId: string; readonly runId?: string };

/** gRPC status of a workflow that Temporal does not know, or has deleted. */
const NOT_FOUND = 5;

/**
 * Erases the personal data of orders and shipping orders whose workflows have completed: deletes their files, documents and
 * workflow histories, replaces the personal data in their rows, and deletes drafts. Marks them as erased last, so that a
 * killed erasure is repeated. Can be repeated for orders that have new data.
 * @returns the subjects that were erased. The others have a running workflow
 * @throws the client's error when Temporal or the object store is unavailable
 */
export async function eraseSubjects(deps: ErasureDeps, subjects: readonly Subject[]): Promise<Subject[]> {
  const ended = subjects.filter(isErasable);
  const workflows = new Map<Subject, string[]>();
  for (const subject of ended) workflows.set(subject, await workflowsOf(deps.sql, subject));
  const running = await inParallel([...workflows], async ([, ids]) => await isAnyRunning(deps.temporal, ids));
  const ready = ended.filter((_, index) => !running[index]);
  if (ready.length === 0) return [];

  const ids = ready.map(({ id }) => id);
  await deps.objects.delete(await objectKeysOf(deps.sql, ids));
  await deleteHistories(
    deps.temporal,
    ready.flatMap((subject) => workflows.get(subject)!),
  );
  await inTransaction(deps.sql, async (tx) => {
    // First and last: an order that is restored, or archived, meanwhile is then found in the other place.
    await eraseArchived(tx, ids);
    await eraseRows(tx, ids);
    await tx`
      UPDATE shipment_documents SET deleted_at = coalesce(deleted_at, now()) WHERE shipment_id IN (
        SELECT id FROM shipments WHERE order_id = ANY(${ids}::uuid[]) OR shipping_order_id = ANY(${ids}::uuid[]))`;
    await tx`
      INSERT INTO order_events (order_id, type)
      SELECT id, 'personal_data_erased' FROM orders WHERE id = ANY(${ids}::uuid[])`;
    await tx`DELETE FROM orders WHERE id = ANY(${ids}::uuid[]) AND order_type = 'draft'`;
    await eraseArchived(tx, ids);
    await tx`UPDATE orders SET erased_at = now() WHERE id = ANY(${ids}::uuid[])`;
    await tx`UPDATE shipping_orders SET erased_at = now() WHERE id = ANY(${ids}::uuid[])`;
    await tx`
      UPDATE erasure_targets SET erased_at = now() WHERE subject_id = ANY(${ids}::uuid[]) AND erased_at IS NULL`;
  });
  return ready;
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(CONCURRENCY);
  try {
    return await limit.map(items, work);
  } finally {
    limit.clearQueue();
  }
}

/** Returns the ids of every workflow that an order or a shipping order has started. */
async function workflowsOf(sql: Queryable, { kind, id }: Subject): Promise<string[]> {
  const shipments = await sql<{ id: string }[]>`
    SELECT id FROM shipments WHERE order_id = ${id} OR shipping_order_id = ${id}`;
  const voids = shipments.map((shipment) => voidShipmentWorkflowId(shipment.id));
  return kind === 'order'
    ? [orderWorkflowId(id), ...voids]
    : [shippingOrderWorkflowId(id), cancelShippingOrderWorkflowId(id), takeBackShippingOrderWorkflowId(id), ...voids];
}

async function isAnyRunning(temporal: Client, workflowIds: readonly string[]): Promise<boolean> {
  for (const workflowId of workflowIds) {
    try {
      const { status } = await temporal.workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') return true;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
  return false;
}

/** Workflow ids of one visibility query. Each costs some 60 characters of it. */
const LISTED = 200;

/**
 * Deletes completed workflows with their histories and their search attributes, before the retention of the namespace ends. A
 * workflow that was continued as new has several executions, which one query for many workflows lists.
 */
async function deleteHistories(temporal: Client, workflowIds: readonly string[]): Promise<void> {
  const { namespace } = temporal.options;
  // The latest execution of each. The list may not have it yet.
  const executions: WorkflowExecution[] = workflowIds.map((workflowId) => ({ workflowId }));
  for (let from = 0; from < workflowIds.length; from += LISTED) {
    const ids = workflowIds.slice(from, from + LISTED).map((id) => `'${id}'`);
    const earlier = temporal.workflow.list({ query: `WorkflowId IN (${ids.join(', ')})`, pageSize: 1_000 });
    for await (const { workflowId, runId } of earlier) executions.push({ workflowId, runId });
  }
  await inParallel(executions, async (workflowExecution) => {
    try {
      await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    } catch (error) {
      if (!isGrpcServiceError(error) || (error.code as number) !== NOT_FOUND) throw error;
    }
  });
}

async function objectKeysOf(sql: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ objectKey: string }[]>`
    SELECT object_key FROM packing_slips WHERE object_key IS NOT NULL AND order_id = ANY(${[...ids]}::uuid[])
    UNION SELECT unnest(ARRAY[f.object_key] || ARRAY(SELECT p ->> 'objectKey' FROM jsonb_array_elements(f.previews) p))
      FROM order_files f JOIN order_items i ON i.id = f.order_item_id
      WHERE f.object_key IS NOT NULL AND i.order_id = ANY(${[...ids]}::uuid[])
    UNION SELECT f.object_key FROM channel_files f JOIN channel_orders o ON o.file_id = f.id
      WHERE f.object_key IS NOT NULL AND o.order_id = ANY(${[...ids]}::uuid[])
    UNION SELECT d.object_key FROM shipment_documents d JOIN shipments s ON s.id = d.shipment_id
      WHERE d.deleted_at IS NULL
        AND (s.order_id = ANY(${[...ids]}::uuid[]) OR s.shipping_order_id = ANY(${[...ids]}::uuid[]))`;
  return rows.map(({ objectKey }) => objectKey);
}
