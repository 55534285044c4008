import { json, type Sql } from '../../platform/postgres';
import type { FinancialStatus } from '../domain/lifecycle/statuses';

/** Financial statuses in which a payment can be recorded: there is an invoice, and not everything is refunded. */
const PAYABLE: readonly FinancialStatus[] = ['invoiced', 'paid', 'refused', 'partially_refunded'];

export interface Payment {
  readonly status: Extract<FinancialStatus, 'paid' | 'refused'>;
  /** The payment provider's or the bank's reference. */
  readonly reference: string | null;
  /** Name of the operator. */
  readonly by: string;
}

/**
 * Sets the financial status of an order to the result of its payment, and records it in the event log.
 * @returns false when the order is not invoiced or is completely refunded
 */
export async function recordPayment(
  sql: Sql,
  orderId: string,
  { status, reference, by }: Payment,
): Promise<boolean> {
  const data = { status, by, ...(reference === null ? {} : { reference }) };
  const rows = await sql`
    WITH paid AS (
      UPDATE orders SET run_financial_status = coalesce(run_financial_status, financial_status),
        financial_status = ${status}, updated_at = now()
      WHERE id = ${orderId} AND financial_status = ANY(${[...PAYABLE]})
      RETURNING id
    ), logged AS (
      INSERT INTO order_events (order_id, type, data) SELECT id, 'payment', ${json(sql, data)} FROM paid
    )
    SELECT id FROM paid`;
  return rows.length > 0;
}
