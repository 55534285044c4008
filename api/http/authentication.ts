import { type Account, hasOperatorRole, type OperatorRole } from '../../src/accounts/account';
import type { Authenticator } from '../../src/accounts/authenticator';
import { ERROR_CODES, Refusal } from '../../src/platform/errors';
import type { Route } from './route';

/**
 * Authenticates and authorizes a request (interface "Authentication").
 * The role is checked before the secret: a partner's key without a secret on an order route is a valid key of a role
 * that is not allowed here (403), not an incomplete key (401).
 * @throws Refusal `UNAUTHORIZED` (in the procurement group 403, as the interface has it), `FORBIDDEN`
 */
export async function authorize(
  authenticator: Authenticator,
  route: Route,
  header: string | undefined,
): Promise<Account | undefined> {
  if (route.access.credentials === 'none') return undefined;
  const caller = await authenticator.authenticate(header);
  if (caller === undefined) throw noKey(route, ERROR_CODES.UNAUTHORIZED.message);
  const { account, withSecret } = caller;
  const { roles, operatorRole } = route.access;
  if (!roles.includes(account.role)) throw new Refusal('FORBIDDEN');
  if (account.role === 'operator') requireOperatorRole(account, operatorRole!);
  if (route.access.credentials === 'key:secret' && account.role === 'client' && !withSecret) {
    throw noKey(route, 'This address needs the key and its secret, joined by a colon.');
  }
  return account;
}

/** @throws Refusal `FORBIDDEN` for a caller who is not an operator with at least this role */
export function requireOperatorRole(account: Account, least: OperatorRole): void {
  if (hasOperatorRole(account, least)) return;
  throw new Refusal('FORBIDDEN', { message: `This operation needs an operator with the role ${least}.` });
}

function noKey(route: Route, message: string): Refusal {
  return new Refusal(route.path.startsWith('/procurement/') ? 'FORBIDDEN' : 'UNAUTHORIZED', { message });
}
