import { orderWorkflowId } from '../../platform/domain/workflows';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../../platform/postgres';
import { dispatchKey } from '../dispatch/dispatch';
import type { PostbackEvent } from '../domain/lifecycle/run-events';
import { type RecordedOrder, type RecordedPrintOrder, rebuiltRun } from '../domain/run/rebuilt-run';
import { startRun } from '../intake/start-run';
import { dispatchDueAt } from '../print-orders/rows';
import type { RunSettings } from '../run/settings';

type PrintOrderRow = Omit<RecordedPrintOrder, 'shipmentId'> & {
  /** Labels that are bought and not voided, by idempotency key. */
  bought: Record<string, string> | null;
};

interface OrderRow {
  id: string;
  clientId: string;
  clientName: string;
  requestId: string | null;
  orderReferenceId: string;
  country: string;
  runVersion: string;
  shippingRevision: number;
  updatedAt: Date;
  items: RecordedOrder['items'];
  printOrders: PrintOrderRow[] | null;
  postbacks: PostbackEvent[] | null;
}

/** A running workflow that a new one replaces. */
interface OutdatedRun {
  /** The version of its state. */
  readonly version: number;
  /** Ends the workflow. */
  readonly end: () => Promise<void>;
}

/**
 * Starts the workflow of an order again through the outbox. The workflow begins anew when the lost one had written
 * nothing, otherwise in the state that the rows show. Idempotency keys prevent repeated effects.
 * @param outdated the running workflow that the new one replaces
 * @returns `unclear` when the state cannot be rebuilt from the rows; `not-needed` for a draft, when an outbox row already starts
 *   the workflow, or when the rows are not newer than `outdated`
 */
export async function restartRun(
  sql: Sql,
  settings: RunSettings,
  orderId: string,
  outdated?: OutdatedRun,
): Promise<'started' | 'unclear' | 'not-needed'> {
  return await inTransaction(sql, async (tx) => {
    const row = await readOrder(tx, orderId);
    if (row === undefined) return 'not-needed';
    if (outdated !== undefined && Number(row.runVersion) <= outdated.version) return 'not-needed';
    const recorded = recordedOrder(row);
    const hasBegun = Number(row.runVersion) > 0;
    const carried = hasBegun && recorded !== null ? rebuiltRun(recorded) : null;
    if (hasBegun && carried === null) return 'unclear';
    const { country, orderReferenceId } = row;
    // The new start replaces a dead one. Otherwise a start that always fails leaves a dead letter with each reconciliation.
    await tx`
      DELETE FROM outbox
      WHERE kind = 'start_workflow' AND target = ${orderWorkflowId(orderId)} AND dead_at IS NOT NULL`;
    await startRun(
      tx,
      {
        id: orderId,
        clientId: row.clientId,
        clientName: row.clientName,
        requestId: row.requestId ?? 'reconciliation',
        order: { orderReferenceId, shippingAddress: { country } },
      },
      row.items.map(({ id, quantity }) => ({ id, quantity })),
      settings,
      carried,
      outdated !== undefined,
    );
    // Before the commit, because the outbox must not start the new workflow beside this one. If the commit fails, the next
    // reconciliation flags the order: its workflow was terminated.
    await outdated?.end();
    return 'started';
  });
}

/** Returns null when a label of another address or method is not voided: the lost workflow was about to void it. */
function recordedOrder(row: OrderRow): RecordedOrder | null {
  const printOrders: RecordedPrintOrder[] = [];
  for (const { bought, ...printOrder } of row.printOrders ?? []) {
    const { [dispatchKey(row.id, printOrder.id, row.shippingRevision)]: shipmentId, ...others } =
      bought ?? {};
    if (Object.keys(others).length > 0) return null;
    printOrders.push({ ...printOrder, shipmentId: shipmentId ?? null });
  }
  return {
    runVersion: Number(row.runVersion),
    shippingRevision: row.shippingRevision,
    items: row.items,
    printOrders,
    postbacks: row.postbacks ?? [],
    updatedAt: row.updatedAt.getTime(),
  };
}

/** Returns undefined for a draft, and for an order whose start is in the outbox. */
async function readOrder(tx: Transaction, orderId: string): Promise<OrderRow | undefined> {
  const [row] = await tx<OrderRow[]>`
    SELECT o.id, o.client_id, a.name AS client_name, o.request_id, o.order_reference_id,
      o.shipping_address ->> 'country' AS country, o.run_version, o.shipping_revision, o.updated_at,
      (SELECT jsonb_agg(jsonb_build_object('id', i.id::text, 'quantity', i.quantity, 'status', i.fulfillment_status)
        ORDER BY i.position) FROM order_items i WHERE i.order_id = o.id) AS items,
      (SELECT jsonb_agg(jsonb_build_object('id', p.id::text, 'partnerId', p.partner_id, 'partnerUid', pa.uid,
          'dispatchDate', p.dispatch_date, 'dispatchDueAt', ${dispatchDueAt(tx)}, 'reproducesId', p.reproduces_id::text, 'status', p.status,
          'acceptedAt', floor(extract(epoch FROM p.accepted_at) * 1000),
          'bought', (SELECT jsonb_object_agg(s.idempotency_key, s.id) FROM shipments s
            WHERE s.print_order_id = p.id AND s.status = 'bought'),
          'transit', (SELECT substr(e.type, 10) FROM order_events e
            WHERE e.order_id = o.id AND e.print_order_id = p.id AND e.type LIKE 'tracking\\_%' ORDER BY e.id DESC LIMIT 1),
          'jobs', (SELECT jsonb_agg(jsonb_build_object('id', j.id::text, 'itemId', j.order_item_id::text,
              'quantity', j.quantity) ORDER BY j.id) FROM print_jobs j WHERE j.print_order_id = p.id)) ORDER BY p.id)
        FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id WHERE p.order_id = o.id) AS print_orders,
      (SELECT jsonb_agg(b.body || jsonb_build_object('type', 'postback', 'eventId', b.id::text,
          'printOrderId', b.print_order_id::text) ORDER BY b.id)
        FROM postbacks b JOIN print_orders p ON p.id = b.print_order_id
        WHERE p.order_id = o.id AND b.handled_at IS NOT NULL) AS postbacks
    FROM orders o JOIN accounts a ON a.id = o.client_id
    WHERE o.id = ${orderId} AND o.order_type = 'order' AND NOT ${startWaits(tx, orderId)}
    FOR UPDATE OF o`;
  return row;
}

/** Returns true when an outbox row will start the workflow of an order. */
export async function isStartWaiting(sql: Sql, orderId: string): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }[]>`SELECT ${startWaits(sql, orderId)} AS waits`;
  return row!.waits;
}

function startWaits(sql: Queryable, orderId: string) {
  return sql`EXISTS (
    SELECT FROM outbox x
    WHERE x.kind = 'start_workflow' AND x.target = ${orderWorkflowId(orderId)} AND x.dead_at IS NULL)`;
}
