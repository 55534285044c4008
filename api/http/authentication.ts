import type { Request } from 'express';
import { type Account, hasOperatorRole, type OperatorRole } from '../../src/accounts/account';
import type { Authenticator, Caller } from '../../src/accounts/authenticator';
import { csrfTokenOf, operatorOfSession } from '../../src/accounts/sessions';
import { ERROR_CODES, Refusal } from '../../src/platform/errors';
import { equalBytes } from '../../src/platform/ids';
import type { Sql } from '../../src/platform/postgres';
import type { Route } from './route';
import { sessionTokenOf } from './session-cookie';

/** How a request identifies its caller. */
export type Credential =
  | { readonly kind: 'key'; readonly header: string }
  | { readonly kind: 'session'; readonly token: string };

/** Returns the credential of a request. A session opens routes for operators only, and an API key takes precedence. */
export function credentialOf(route: Route, req: Request, publicUrl: string): Credential | undefined {
  if (route.access.credentials === 'none') return undefined;
  const header = req.get('X-API-KEY');
  if (header !== undefined) return { kind: 'key', header };
  if (!route.access.roles.includes('operator')) return undefined;
  const token = sessionTokenOf(req.get('Cookie'), publicUrl);
  return token === undefined ? undefined : { kind: 'session', token };
}

/** Returns the secret part of a credential: the key without its secret, or the session's token. */
export function secretOf(credential: Credential): string {
  return credential.kind === 'session' ? credential.token : credential.header.split(':', 1)[0]!.trim();
}

/** A caller. Without a key: of a session. */
type IdentifiedCaller = Pick<Caller, 'account' | 'withSecret'> & Partial<Pick<Caller, 'keyId'>>;

/**
 * Returns who has a credential, or undefined when nobody has it.
 * @throws Refusal `FORBIDDEN` for a changing request of a session without its CSRF token
 */
export async function identify(
  { authenticator, sql }: { readonly authenticator: Authenticator; readonly sql: Sql },
  route: Route,
  req: Request,
  credential: Credential,
): Promise<IdentifiedCaller | undefined> {
  if (credential.kind === 'key') return await authenticator.authenticate(credential.header);
  // A stream stays open while nobody works.
  return await callerOfSession(sql, req, credential.token, route.contentType !== 'text/event-stream');
}

/**
 * Returns the account of a caller who may call a route.
 * The role is checked before the secret: a partner's key without a secret on an order route is a valid key of a role
 * that is not allowed here (403), not an incomplete key (401).
 * @throws Refusal `UNAUTHORIZED` (403 in the procurement group), `FORBIDDEN`
 */
export function authorize(route: Route, caller: IdentifiedCaller | undefined): Account | undefined {
  if (route.access.credentials === 'none') return undefined;
  if (caller === undefined) throw noKey(route, ERROR_CODES.UNAUTHORIZED.message);
  const { account, withSecret } = caller;
  const { roles, operatorRole = 'admin' } = route.access;
  if (!roles.includes(account.role)) throw new Refusal('FORBIDDEN');
  if (account.role === 'operator') requireOperatorRole(account, operatorRole);
  if (route.access.credentials === 'key:secret' && account.role === 'client' && !withSecret) {
    throw noKey(route, 'This address needs the key and its secret, joined by a colon.');
  }
  return account;
}

/** @throws Refusal `FORBIDDEN` for a changing request without the session's CSRF token */
async function callerOfSession(sql: Sql, req: Request, token: string, isUse: boolean) {
  const account = await operatorOfSession(sql, token, { isUse });
  if (account === undefined) return undefined;
  const given = Buffer.from(req.get('X-CSRF-Token') ?? '');
  if (req.method !== 'GET' && req.method !== 'HEAD' && !equalBytes(given, Buffer.from(csrfTokenOf(token)))) {
    throw new Refusal('FORBIDDEN', {
      message: 'The header X-CSRF-Token does not have the token of the session.',
    });
  }
  return { account, withSecret: false };
}

/** @throws Refusal `FORBIDDEN` for a caller who is not an operator with at least this role */
export function requireOperatorRole(account: Account, least: OperatorRole): void {
  if (hasOperatorRole(account, least)) return;
  throw new Refusal('FORBIDDEN', { message: `This operation needs an operator with the role ${least}.` });
}

function noKey(route: Route, message: string): Refusal {
  return new Refusal(route.path.startsWith('/procurement/') ? 'FORBIDDEN' : 'UNAUTHORIZED', { message });
}
