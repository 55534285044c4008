import type { Queryable } from '../../platform/postgres';
import { OPEN_ORDERS } from '../domain/lifecycle/statuses';

/**
 * Returns the statuses of open orders as an SQL list. The list is literal text, not a parameter: Postgres uses the
 * partial index `orders_open` only for a statement that shows these statuses when it is planned.
 */
export function openOrderStatuses(sql: Queryable) {
  return sql.unsafe(`(${OPEN_ORDERS.map((status) => `'${status}'`).join(', ')})`);
}
