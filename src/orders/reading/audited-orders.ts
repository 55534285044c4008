import type { Queryable } from '../../platform/postgres';
import { type ChangedOrder, type ChangeOutcome, changeOutcome, type LoggedEvent } from '../domain/change-outcome';
import { eventsAsJson } from './order-reader';

/** An order that entries of the audit log are about. */
export interface AuditedOrder {
  readonly reference: string;
  /**
   * Returns why an entry's request changed the order, and what came of it. Null: the order's log has no event of the request.
   * Of several requests with the same id, the event is the latest one before the entry.
   */
  changeOf(entry: {
    readonly requestId: string | null;
    readonly at: Date;
  }): { readonly reason: string | null; readonly outcome: ChangeOutcome } | null;
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
        changeOf({ requestId, at }) {
          if (requestId === null) return null;
          const { events } = order;
          const isOf = ({ data }: LoggedEvent) => data.requestId === requestId;
          const latest = events.findLastIndex((event) => isOf(event) && Date.parse(event.at) <= at.getTime());
          // The order run can carry out a request whose response has failed, after its entry.
          const index = latest === -1 ? events.findIndex(isOf) : latest;
          if (index === -1) return null;
          const { reason } = events[index]!.data;
          return { reason: typeof reason === 'string' ? reason : null, outcome: changeOutcome(order, index) };
        },
      },
    ]),
  );
}
