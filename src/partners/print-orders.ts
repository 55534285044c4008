import type { Queryable } from '../platform/postgres';

/** A print order that a partner names in a call. */
export interface AddressedPrintOrder {
  /** Decimal string. */
  readonly id: string;
  readonly orderId: string;
  readonly status: string;
  /** Ids of its print jobs. The partner knows them as item ids. */
  readonly jobIds: readonly string[];
}

/** Returns a partner's print order, or null when there is none or it belongs to another partner. */
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
