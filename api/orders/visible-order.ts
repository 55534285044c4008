import type { Account } from '../../src/accounts/account';
import {
  findOrderId,
  type OrderRecord,
  readOrders,
  type Viewer,
} from '../../src/orders/reading/order-reader';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';

/** Returns what an account may see. Clients see their own orders, operators see all. */
export function viewerOf(account: Account): Viewer {
  return { clientId: account.role === 'operator' ? null : account.id };
}

/**
 * Returns the id of the order that a path parameter names by id or reference.
 * @throws Refusal `NOT_FOUND` when there is no such order that the account may see
 */
export async function visibleOrderId(sql: Sql, account: Account, idOrReference: string): Promise<string> {
  const id = await findOrderId(sql, viewerOf(account), idOrReference);
  if (id === null)
    throw new Refusal('NOT_FOUND', { message: 'There is no order with this id or reference.' });
  return id;
}

/** Returns the order that a path parameter names. @throws Refusal `NOT_FOUND` */
export async function visibleOrder(sql: Sql, account: Account, idOrReference: string): Promise<OrderRecord> {
  const [order] = await readOrders(sql, [await visibleOrderId(sql, account, idOrReference)]);
  if (order === undefined) throw new Refusal('NOT_FOUND');
  return order;
}
