import type { Queryable } from '../../platform/postgres';
import { OPEN_ORDERS } from '../domain/lifecycle/statuses';

/**
 * Returns the SQL condition of open orders: those that have a running workflow. The statuses are literal text, not
 * parameters: Postgres uses the partial index `orders_running` only for a statement that shows them when it is planned.
 */
export function isOpenOrder(sql: Queryable) {
  const statuses = OPEN_ORDERS.map((status) => `'${status}'`).join(', ');
  return sql.unsafe(`(fulfillment_status IN (${statuses}) AND tracking_ended_at IS NULL)`);
}
