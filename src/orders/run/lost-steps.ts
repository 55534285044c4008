import { json, type Sql } from '../../platform/postgres';

/** A loss of a step with the process of its worker. */
export interface StepLoss {
  /** Name of the step. */
  readonly step: string;
  readonly id: string;
  /** Number of losses in a row. */
  readonly times: number;
}

/**
 * Writes to the order's log that a step was lost, once for each loss.
 * @returns when its first loss was noted, and how many other orders lost a step then: one with a longer timeout notes
 *   it up to 30 s later
 */
export async function noteLoss(
  sql: Sql,
  orderId: string,
  loss: StepLoss,
): Promise<{ readonly firstAt: Date; readonly others: number }> {
  await sql`
    INSERT INTO order_events (order_id, type, data)
    SELECT ${orderId}, 'step_lost', ${json(sql, loss)} WHERE NOT EXISTS (
      SELECT FROM order_events WHERE order_id = ${orderId} AND type = 'step_lost' AND data = ${json(sql, loss)})`;
  const [found] = await sql<{ firstAt: Date; others: number }[]>`
    SELECT first.at AS first_at, count(DISTINCT other.order_id)::int AS others
    FROM (
      SELECT min(at) AS at FROM order_events
      WHERE order_id = ${orderId} AND type = 'step_lost' AND data ->> 'id' = ${loss.id}) first
    LEFT JOIN order_events other ON other.type = 'step_lost' AND other.order_id <> ${orderId}
      AND other.at BETWEEN first.at - interval '60 seconds' AND first.at + interval '30 seconds'
    GROUP BY first.at`;
  return found!;
}
