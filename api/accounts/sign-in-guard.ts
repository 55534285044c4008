import type { Account } from '../../src/accounts/account';
import type { SignInMethod } from '../../src/accounts/sessions';
import { Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';
import { callerNetwork } from '../http/caller-address';
import { createFailureLimiter } from '../http/request-limits';
import type { CallContext } from '../http/route';

/** A refused sign-in whose credential names an account: a revoked or expired key, a wrong secret, a user without a role. */
export class RefusedAccount extends Refusal {
  constructor(
    readonly account: Account,
    ...refusal: ConstructorParameters<typeof Refusal>
  ) {
    super(...refusal);
  }
}

export type SignInGuard = ReturnType<typeof createSignInGuard>;

/**
 * Creates the limit of failed sign-ins, by address and by account, and their record: a log line for each, and a row of the
 * audit log for each that names an account. Of those that name nobody, an address gets a row for the first one of a minute,
 * so that a flood does not fill the log. A right key or link signs in whatever others at its address do: keys cannot be guessed.
 */
export function createSignInGuard(sql: Sql) {
  const byAddress = createFailureLimiter('sign_in');
  const byAccount = createFailureLimiter('sign_in');

  /** Executes one attempt. @throws what it throws, and Refusal `RATE_LIMITED` after too many failures */
  return async <T>(call: CallContext, method: SignInMethod, attempt: () => Promise<T>): Promise<T> => {
    const network = callerNetwork(call.address);
    // Each attempt costs requests to the identity provider.
    if (method === 'openid_connect') byAddress.check(network);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) throw error;
      byAddress.check(network);
      const failures = byAddress.failed(network);
      const account = error instanceof RefusedAccount ? error.account : undefined;
      // Not `address`: that is a recipient's, which the log redacts.
      call.log.warn({ callerAddress: call.address, method, operator: account?.name }, 'a sign-in failed');
      if (account !== undefined) {
        byAccount.check(account.id);
        byAccount.failed(account.id);
      }
      if (account !== undefined || failures === 1) {
        const change = { objectId: account?.id ?? 'unknown', before: null, after: { method } };
        await call.audit(sql, { action: 'operator.sign_in_failed', ...change }, account ?? 'unknown');
      }
      throw error;
    }
  };
}
