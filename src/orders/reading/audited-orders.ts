import type { Queryable } from '../../platform/postgres';
import { type ChangedOrder, type ChangeOutcome, changeOutcome } from '../domain/change-outcome';
import { eventsAsJson } from './order-reader';

/** An order that entries of the audit log are about. */
export interface AuditedOrder {
  readonly reference: string;
  /** Returns why a request changed the order, and what came of it. Null: the order's log has no event of the request. */
  changeOf(requestId: string | null): { readonly reason: string | null; readonly outcome: ChangeOutcome } | null;
}

interface Row extends ChangedOrder {
  readonly id: string;
  readonly reference: string;
}

/**
 * Returns orders by id. Reasons and the words of partners are in the orders' logs, which can be erased with the personal data;
 * the audit log is never erased. An event of a change has the id of its request, as the entry of the audit log has.
 */
export async function auditedOrders(
  sql: Queryable,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, AuditedOrder>> {
  const rows = await sql<Row[]>`
    SELECT o.id, o.order_reference_id AS reference, o.fulfillment_status, ${eventsAsJson(sql)} AS events,
      to_jsonb(ARRAY(
        SELECT jsonb_build_object('id', p.id::text, 'partnerUid', pa.uid, 'acceptedAt', p.accepted_at)
        FROM print_orders p JOIN partners pa ON pa.account_id = p.partner_id WHERE p.order_id = o.id ORDER BY p.id)) AS print_orders
    FROM orders o WHERE o.id = ANY(${[...new Set(orderIds)]}::uuid[])`;
  return new Map(
    rows.map(({ id, reference, ...order }) => [
      id,
      {
        reference,
        changeOf(requestId) {
          const index = order.events.findIndex(({ data }) => data.requestId === requestId);
          if (requestId === null || index === -1) return null;
          const { reason } = order.events[index]!.data;
          return { reason: typeof reason === 'string' ? reason : null, outcome: changeOutcome(order, index) };
        },
      },
    ]),
  );
}
