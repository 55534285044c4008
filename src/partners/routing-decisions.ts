import { type Fragment, json, type Queryable, type Statement } from '../platform/postgres';
import type { RoutingDecision } from './domain/routing-decision';

/** A stored routing decision as operators read it. */
export interface StoredDecision {
  /** Step of the order run that made the decision. */
  readonly step: string;
  readonly decision: RoutingDecision;
  readonly createdAt: Date;
}

/** Returns the statement that stores the routing decision of a step. A retry of the step replaces it. */
export function recordRoutingDecision(
  sql: Queryable,
  { orderId, step, decision }: { orderId: string; step: string; decision: RoutingDecision },
): Statement {
  return sql`
    INSERT INTO routing_decisions (order_id, step, routed, decision)
    VALUES (${orderId}, ${step}, ${decision.ok}, ${json(sql, decision)})
    ON CONFLICT (order_id, step) DO UPDATE
    SET routed = excluded.routed, decision = excluded.decision, created_at = now()`;
}

/**
 * Returns all routing decisions of an order, oldest first.
 * @param beginning of the statement: `WITH` and what the names of tables stand for, each with a comma
 * @returns undefined when there is no such order
 */
export async function routingDecisions(
  sql: Queryable,
  orderId: string,
  beginning: Fragment = sql`WITH`,
): Promise<StoredDecision[] | undefined> {
  const rows = await sql<(StoredDecision | { step: null })[]>`
    ${beginning} wanted AS (SELECT ${orderId}::uuid AS id)
    SELECT d.step, d.decision, d.created_at
    FROM wanted JOIN orders o USING (id) LEFT JOIN routing_decisions d ON d.order_id = o.id ORDER BY d.created_at, d.step`;
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is StoredDecision => row.step !== null);
}
