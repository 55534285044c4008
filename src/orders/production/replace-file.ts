import type { NotifiedOrder } from '../../notifications/domain/event-schemas';
import { enqueueEvent } from '../../notifications/enqueue';
import { notifiedOrder } from '../../notifications/order-view';
import { ORDER_SIGNALS, orderWorkflowId } from '../../platform/domain/workflows';
import { enqueue } from '../../platform/outbox/outbox';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { ENDED_ORDERS, type OrderStatus } from '../domain/lifecycle/statuses';
import { measureItem, type RequestedReplacement, type RequestOutcome, requestReplacement } from './file-replacements';

export interface FileReplacement extends Omit<RequestedReplacement, 'itemId' | 'fileId'> {
  readonly itemReferenceId: string;
}

/**
 * What became of a replacement. `replaced`: the order run fetches the file. `requested`: a partner has the order, and gets the
 * file when it has been checked. The caller wakes the outbox after both. `unchanged`: the file is about to be fetched from this
 * URL. Otherwise why the file cannot be replaced; `busy`: the account has too many preflights.
 */
export type ReplacementOutcome =
  | { readonly outcome: 'replaced' | 'not-found' | 'draft' }
  | RequestOutcome
  | { readonly outcome: 'ended'; readonly status: OrderStatus };

/**
 * Replaces the URL of a print file of an order that is not planned yet. The order run fetches and checks the file, and goes on.
 * The stored copy of the former file stays until the new one is stored. When a partner has the order, requests the replacement.
 * @param onReplaced is called in the transaction of the change
 */
export async function replaceFile(
  sql: Sql,
  replacement: FileReplacement,
  onReplaced: (tx: Transaction) => Promise<unknown>,
): Promise<ReplacementOutcome> {
  const { orderId, itemReferenceId, type, url, by, reason, requestId } = replacement;
  return await inTransaction(sql, async (tx): Promise<ReplacementOutcome> => {
    // A plan locks the order too, and is given up when `files_revision` has changed.
    const [order] = await tx<{ status: OrderStatus; erased: boolean; filesRevision: number }[]>`
      SELECT fulfillment_status AS status, erased_at IS NOT NULL AS erased, files_revision
      FROM orders WHERE id = ${orderId} FOR UPDATE`;
    const [file] = await tx<{ id: string; itemId: string; url: string; isFetched: boolean; isPlanned: boolean }[]>`
      SELECT f.id, i.id::text AS item_id, f.url, f.fetched_at IS NOT NULL AS is_fetched,
        EXISTS (SELECT FROM print_orders p WHERE p.order_id = i.order_id) AS is_planned
      FROM order_items i JOIN order_files f ON f.order_item_id = i.id
      WHERE i.order_id = ${orderId} AND i.item_reference_id = ${itemReferenceId} AND f.type = ${type}
        AND f.replacement IS NULL AND i.fulfillment_status <> 'cancelled'
      FOR UPDATE OF i`;
    if (order === undefined) return { outcome: 'not-found' };
    const { status, erased } = order;
    if (status === 'draft') return { outcome: 'draft' };
    if (erased || ENDED_ORDERS.includes(status)) return { outcome: 'ended', status };
    if (file === undefined) return { outcome: 'not-found' };
    if (file.isPlanned) {
      const { id: fileId, itemId } = file;
      const requested = await requestReplacement(tx, { ...replacement, itemId, fileId });
      if (requested.outcome === 'requested') await onReplaced(tx);
      return requested;
    }
    if (file.url === url && !file.isFetched) return { outcome: 'unchanged' };
    const revision = order.filesRevision + 1;
    await tx`UPDATE orders SET files_revision = ${revision}, file_delay = NULL, updated_at = now() WHERE id = ${orderId}`;
    await tx`
      UPDATE order_files SET url = ${url}, revision = ${revision}, fetched_at = NULL, inspections = 0,
        facts = NULL, checks = '[]', checks_accepted = false
      WHERE id = ${file.id}`;
    await measureItem(tx, file.itemId);
    await tx`
      INSERT INTO order_events (order_id, order_item_id, type, data)
      VALUES (${orderId}, ${file.itemId}, 'file_replaced', ${json(tx, { by, type, requestId, ...(reason === null ? {} : { reason }) })})`;
    const payload = { signal: ORDER_SIGNALS.filesReplaced, args: [] };
    await enqueue(tx, { kind: 'signal_workflow', target: orderWorkflowId(orderId), payload });
    await onReplaced(tx);
    return { outcome: 'replaced' };
  });
}

export interface FileRequest {
  readonly orderId: string;
  readonly itemReferenceId: string;
  readonly type: string;
  /** What is wrong with the file, for the client. */
  readonly message: string;
  readonly by: string;
  /** Id of the API's request, as the audit log has it. */
  readonly requestId: string;
}

interface FileRow {
  readonly itemId: string;
  readonly status: OrderStatus;
  readonly order: NotifiedOrder;
  readonly metadata: readonly unknown[];
  readonly orderMetadata: readonly unknown[];
}

/**
 * Asks the client for another print file: in the order's log, and with a notification to each of its endpoints for the event.
 * @param onRequested is called in the transaction of the request
 * @returns the number of endpoints that are notified, or why the client is not asked
 */
export async function requestFile(
  sql: Sql,
  { orderId, itemReferenceId, type, message, by, requestId }: FileRequest,
  onRequested: (tx: Transaction) => Promise<unknown>,
): Promise<{ readonly notified: number } | 'not-found' | 'ended'> {
  return await inTransaction(sql, async (tx) => {
    const [file] = await tx<FileRow[]>`
      SELECT i.id::text AS item_id, o.fulfillment_status AS status, ${notifiedOrder(tx)} AS "order", i.metadata, o.metadata AS order_metadata
      FROM orders o JOIN order_items i ON i.order_id = o.id JOIN order_files f ON f.order_item_id = i.id
      WHERE o.id = ${orderId} AND o.fulfillment_status <> 'draft' AND i.item_reference_id = ${itemReferenceId}
        AND f.type = ${type} AND f.replacement IS NULL
      FOR SHARE OF o`;
    if (file === undefined) return 'not-found';
    if (ENDED_ORDERS.includes(file.status)) return 'ended';
    const { itemId, order, metadata, orderMetadata } = file;
    await tx`
      INSERT INTO order_events (order_id, order_item_id, type, data)
      VALUES (${orderId}, ${itemId}, 'file_requested', ${json(tx, { by, type, message, requestId })})`;
    const payload = { ...order, itemReferenceId, metadata, orderMetadata, fileType: type, message };
    const notified = await enqueueEvent(tx, { event: 'order_file_requested', payload });
    await onRequested(tx);
    return { notified };
  });
}
