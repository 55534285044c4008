import { cutText } from '../../platform/domain/foreign-text';
import { orderWorkflowId, WORKFLOW_TYPES } from '../../platform/domain/workflows';
import type { WorkflowStart } from '../../platform/outbox/temporal-delivery';
import { json, type Queryable } from '../../platform/postgres';
import { currentTraceparent } from '../../platform/tracing/spans';
import type { OrderRunInput } from '../domain/run/run-messages';
import type { SubmitOrder } from '../planning/order-schemas';
import type { RunSettings } from '../run/settings';

interface RunSubject {
  readonly id: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly requestId: string;
  readonly order: Pick<SubmitOrder, 'orderReferenceId'> & {
    readonly shippingAddress: Pick<SubmitOrder['shippingAddress'], 'country'>;
    readonly items: readonly unknown[];
  };
}

/** Returns the message that starts an order workflow. The inserting statement adds the items with their ids. */
export function runStart(subject: RunSubject, settings: RunSettings): WorkflowStart {
  const { id, clientId, clientName, requestId, order } = subject;
  const { country } = order.shippingAddress;
  const count = order.items.length;
  return {
    workflowType: WORKFLOW_TYPES.order,
    args: [
      {
        orderId: id,
        clientId,
        orderReferenceId: order.orderReferenceId,
        country,
        requestId,
        items: [],
        ...settings,
      },
    ],
    fairnessKey: clientId,
    memo: { orderReferenceId: order.orderReferenceId, client: clientName, requestId },
    // The Temporal UI shows the summary in its list. Temporal refuses summaries of more than 400 bytes.
    summary: `${cutText(order.orderReferenceId, 60)}: ${count} ${count === 1 ? 'item' : 'items'} to ${country}`,
  };
}

/**
 * Inserts the outbox row that starts the workflow of a stored order: a draft that becomes an order, or an order whose
 * workflow was lost.
 * @param carried the state in which a lost workflow continues
 * @param replaces the earlier workflow of the order that this one follows
 */
export async function startRun(
  tx: Queryable,
  subject: Omit<RunSubject, 'order'> & { readonly order: Omit<RunSubject['order'], 'items'> },
  items: readonly { readonly id: string; readonly quantity: number }[],
  settings: RunSettings,
  carried: OrderRunInput['carried'] | null = null,
  replaces: Pick<WorkflowStart, 'replacesTerminated' | 'replacesRun'> = {},
): Promise<WorkflowStart> {
  const start = runStart({ ...subject, order: { ...subject.order, items } }, settings);
  const [input] = start.args;
  const message = {
    ...start,
    args: [{ ...(input as object), items, ...(carried === null ? {} : { carried }) }],
    ...replaces,
  };
  const traceparent = currentTraceparent();
  // A run that is started again belongs to the trace of the request that submitted the order.
  await tx`
    WITH traced AS (
      UPDATE orders SET traceparent = ${traceparent}::text
      WHERE id = ${subject.id} AND traceparent IS NULL AND ${traceparent}::text IS NOT NULL
    )
    INSERT INTO outbox (kind, target, payload, traceparent)
    VALUES ('start_workflow', ${orderWorkflowId(subject.id)}, ${json(tx, message)},
      coalesce((SELECT traceparent FROM orders WHERE id = ${subject.id}), ${traceparent}))`;
  return message;
}
