import { z } from 'zod';
import type { Account, OperatorRole } from '../../src/accounts/account';
import { type ArchiveDeps, readArchived } from '../../src/orders/reading/archived-order';
import type { ArchivedRows } from '../../src/orders/reading/archived-tables';
import {
  type FoundOrder,
  findOrder,
  newestOrdersByClient,
  type OrderRecord,
  readOrders,
  type Viewer,
} from '../../src/orders/reading/order-reader';
import { invalidField, Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import { forOperators } from '../http/route';

export const orderAddress = z.object({
  orderId: z
    .string()
    .min(1)
    .max(100)
    .describe('The order’s id, or the client’s `orderReferenceId`. A reference finds the newest order that has it.'),
});

/** What every operation of clients on their orders has in common. */
export const CLIENTS = { tag: 'Orders', access: { credentials: 'key:secret', roles: ['client'] } } as const;

/** What every operation that also operators use to read orders has in common. */
export const READERS = {
  tag: 'Orders',
  access: { credentials: 'key:secret', roles: ['client', 'operator'], operatorRole: 'viewer' },
} as const;

/** Parameters of the path of operators' routes for one order. */
export const operatorOrderParams = z.object({
  orderId: z
    .string()
    .min(1)
    .max(100)
    .describe('The order’s id, or its reference. A reference finds the newest order that has it.'),
});

/** What the routes for one order have in common that operators with at least the given role may call. */
export const forOrder = (role: OperatorRole) => ({
  ...forOperators('Operator: orders', role),
  params: operatorOrderParams,
});

/** Returns what an account may see. Clients see their own orders, operators see all. */
export function viewerOf(account: Account): Viewer {
  return { clientId: account.role === 'operator' ? null : account.id };
}

/** Returns who requests a change of an order, as its log shows it to operators. */
export const requesterOf = ({ role, name }: Account): string => (role === 'operator' ? `operator ${name}` : 'client');

/** Returns the reason that an operator gives for a change. Null for a client. @throws Refusal `VALIDATION_ERROR` without one */
export function reasonOf({ role }: Account, reason: string | null | undefined): string | null {
  if (role !== 'operator') return null;
  if (reason != null) return reason;
  throw invalidField('reason', 'Operators give a reason.', 'MISSING_FIELD_ERROR');
}

/** @throws Refusal `NOT_FOUND` when there is no such order that the account may see */
async function foundOrder(sql: Sql, account: Account, idOrReference: string): Promise<FoundOrder> {
  const found = await findOrder(sql, viewerOf(account), idOrReference);
  if (found === null) throw new Refusal('NOT_FOUND', { message: 'There is no order with this id or reference.' });
  return found;
}

/**
 * Returns the id of the order that a path parameter names by id or reference.
 * @throws Refusal `NOT_FOUND` when there is no such order that the account may see
 */
export async function visibleOrderId(sql: Sql, account: Account, idOrReference: string): Promise<string> {
  return (await foundOrder(sql, account, idOrReference)).id;
}

/**
 * Returns the id of the order that a path parameter names by id or reference, and its rows when it is archived.
 * @throws Refusal `NOT_FOUND`
 */
export async function visibleRows(
  { sql, objects }: ArchiveDeps,
  account: Account,
  idOrReference: string,
): Promise<{ readonly id: string; readonly archived: ArchivedRows | null }> {
  const { id, isArchived } = await foundOrder(sql, account, idOrReference);
  return { id, archived: isArchived ? await readArchived({ sql, objects }, id) : null };
}

/**
 * Returns the id of the order that a change names by id or reference. Several clients may use one reference: then an
 * operator has to name the order by its id.
 * @throws Refusal `NOT_FOUND`, `AMBIGUOUS_REFERENCE`, `CONFLICT` for an archived order
 */
export async function changedOrderId(sql: Sql, account: Account, idOrReference: string): Promise<string> {
  const { id, isArchived } = await foundOrder(sql, account, idOrReference);
  if (account.role === 'operator' && id !== idOrReference.toLowerCase()) {
    refuseAmbiguous('order', await newestOrdersByClient(sql, idOrReference));
  }
  if (isArchived) throw new Refusal('CONFLICT', { message: 'The order is archived, and cannot be changed.' });
  return id;
}

/** @throws Refusal `AMBIGUOUS_REFERENCE`, which names the id of every candidate, when there are several */
export function refuseAmbiguous(
  noun: string,
  candidates: readonly { readonly id: string; readonly clientName: string }[],
): void {
  if (candidates.length < 2) return;
  throw new Refusal('AMBIGUOUS_REFERENCE', {
    errors: candidates.map(({ id, clientName }) => ({
      code: 'VALIDATION_ERROR',
      message: `The ${noun} ${id} of ${clientName} has this reference.`,
      reference: id,
    })),
  });
}

/** Returns the order that a path parameter names, archived or not. @throws Refusal `NOT_FOUND` */
export async function visibleOrder(deps: ArchiveDeps, account: Account, idOrReference: string): Promise<OrderRecord> {
  const { id, archived } = await visibleRows(deps, account, idOrReference);
  const [order] = await readOrders(deps.sql, [id], archived);
  if (order === undefined) throw new Refusal('NOT_FOUND');
  return order;
}
