import type { NotificationPayload } from '../../notifications/domain/event-schemas';
import { enqueueDeliveries } from '../../notifications/enqueue';
import { uuidv7 } from '../../platform/ids';
import { inTransaction, json, type Sql, type Transaction } from '../../platform/postgres';
import { ENDED_ORDERS, type OrderStatus } from '../domain/lifecycle/statuses';

/** A request to the client for another print file of its order. */
export interface FileRequest {
  readonly orderId: string;
  readonly itemReferenceId: string;
  readonly type: string;
  /** What is wrong with the file, for the client. */
  readonly message: string;
  /** Name of the operator. */
  readonly by: string;
  /** Id of the API's request, as the audit log has it. */
  readonly requestId: string;
}

interface FileRow {
  readonly itemId: string;
  readonly status: OrderStatus;
  readonly orderReferenceId: string;
  readonly metadata: readonly unknown[];
  readonly orderMetadata: readonly unknown[];
  readonly endpointIds: readonly string[];
}

const EVENT = 'order_file_requested';

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
      SELECT i.id::text AS item_id, o.fulfillment_status AS status, o.order_reference_id, i.metadata, o.metadata AS order_metadata,
        ARRAY(SELECT e.id FROM webhook_endpoints e
          WHERE e.client_id = o.client_id AND e.enabled AND ${EVENT} = ANY(e.events)) AS endpoint_ids
      FROM orders o JOIN order_items i ON i.order_id = o.id JOIN order_files f ON f.order_item_id = i.id
      WHERE o.id = ${orderId} AND o.fulfillment_status <> 'draft' AND i.item_reference_id = ${itemReferenceId}
        AND f.type = ${type} AND f.replacement IS NULL
      FOR SHARE OF o`;
    if (file === undefined) return 'not-found';
    if (ENDED_ORDERS.includes(file.status)) return 'ended';
    const { itemId, endpointIds, orderReferenceId, metadata, orderMetadata } = file;
    await tx`
      INSERT INTO order_events (order_id, order_item_id, type, data)
      VALUES (${orderId}, ${itemId}, 'file_requested', ${json(tx, { by, type, message, requestId })})`;
    const payload: Extract<NotificationPayload, { event: typeof EVENT }>['payload'] = {
      ...{ orderId, storeId: null, orderReferenceId, itemReferenceId, metadata, orderMetadata },
      fileType: type,
      message,
    };
    const messageId = uuidv7();
    const body = JSON.stringify({ id: messageId, event: EVENT, created: new Date().toISOString(), ...payload });
    await enqueueDeliveries(
      tx,
      endpointIds.map((endpointId) => ({ endpointId, messageId, event: EVENT, orderId, body })),
    );
    await onRequested(tx);
    return { notified: endpointIds.length };
  });
}
