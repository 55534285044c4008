import type { Queryable } from '../platform/postgres';

/** A print order as its partner names it in calls. */
export interface AddressedPrintOrder {
  /** Decimal string. */
  readonly id: string;
  readonly orderId: string;
  readonly status: string;
  /** Ids of its jobs: what the partner knows as its items. */
  readonly jobIds: readonly string[];
}

/** @returns null when there is no such print order, or when it is another partner's */
export async function printOrderOfPartner(
  sql: Queryable,
  partnerId: string,
  printOrderId: string,
): Promise<AddressedPrintOrder | null> {
  if (!/^\d{1,18}$/.test(printOrderId)) return null;
  const [printOrder] = await sql<AddressedPrintOrder[]>`
    SELECT p.id, p.order_id, p.status,
      (SELECT array_agg(j.id::text) FROM print_jobs j WHERE j.print_order_id = p.id) AS job_ids
    FROM print_orders p WHERE p.id = ${printOrderId} AND p.partner_id = ${partnerId}`;
  return printOrder ?? null;
}
