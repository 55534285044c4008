import type { Account } from './account';
import type { Act } from './audit-log';

/** How an operator signed in. */
export type SignInMethod = 'api_key' | 'one_time_link' | 'openid_connect';

/** Returns the act of a sign-in for the audit log. */
export function signInAct({ id, operatorRole }: Account, method: SignInMethod): Act {
  return { action: 'operator.sign_in', objectId: id, before: null, after: { method, role: operatorRole } };
}
