import { json, type Queryable } from '../../platform/postgres';
import type { FinancialStatus } from '../domain/lifecycle/statuses';

/** Financial statuses in which a payment can be recorded: there is an invoice, and not everything is refunded. */
const PAYABLE: readonly FinancialStatus[] = ['invoiced', 'paid', 'refused', 'partially_refunded'];

export interface Payment {
  readonly status: Extract<FinancialStatus, 'paid' | 'refused'>;
  /** The payment provider's or the bank's reference. */
  readonly reference: string | null;
  /** Name of the operator. */
  readonly by: string;
  /** Id of the API's request, as the audit log has it. */
  readonly requestId: string;
}

/**
 * Sets the financial status of an order to the result of its payment, and records it in the event log.
 * @returns the financial status before; undefined when the order is not invoiced or is completely refunded
 */
export async function recordPayment(
  sql: Queryable,
  orderId: string,
  { status, reference, by, requestId }: Payment,
): Promise<FinancialStatus | undefined> {
  const data = { status, by, requestId, ...(reference === null ? {} : { reference }) };
  const [row] = await sql<{ before: FinancialStatus }[]>`
    WITH payable AS (
      SELECT id, financial_status AS before FROM orders
      WHERE id = ${orderId} AND financial_status = ANY(${[...PAYABLE]}) FOR UPDATE
    ), paid AS (
      UPDATE orders SET run_financial_status = coalesce(run_financial_status, financial_status),
        financial_status = ${status}, updated_at = now()
      FROM payable WHERE orders.id = payable.id
      RETURNING orders.id, payable.before
    ), logged AS (
      INSERT INTO order_events (order_id, type, data) SELECT id, 'payment', ${json(sql, data)} FROM paid
    )
    SELECT before FROM paid`;
  return row?.before;
}
