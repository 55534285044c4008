import { z } from 'zod';
import {
  createIdentityProvider,
  type Identity,
  newSignInSecrets,
  type SignInSecrets,
} from '../../src/accounts/identity-provider';
import { type Admission, admit, roleOfGroups, takeState } from '../../src/accounts/operator-identities';
import { signInChange, startSession } from '../../src/accounts/sessions';
import { Refusal, type RefusalOptions } from '../../src/platform/errors';
import { equalBytes } from '../../src/platform/ids';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import { type SecretBox, SecretNotOpened } from '../../src/platform/sealing/secret-box';
import type { ApiDeps } from '../deps';
import { type CallContext, openRoute, RawResponse, type Route } from '../http/route';
import { cookieAttributes, cookieName, cookieValues, sessionCookie } from '../http/session-cookie';
import { signInOf } from './session-routes';
import { RefusedAccount, type SignInGuard } from './sign-in-guard';
import { readableForBrowsers, signedInPage } from './sign-in-pages';

/** A sign-in by OpenID Connect between its start and the response of the provider. */
interface PendingSignIn extends SignInSecrets {
  /** Path of the console to which the operator returns. */
  readonly returnTo: string;
  readonly expiresAt: Date;
}

/** Time that a user has to sign in at the provider. */
const PENDING_SECONDS = 600;

const NAME = 'pressline_sign_in';
/** Context of the sealed cookie. Nothing else that the secret box has sealed opens as one. */
const OWNER = 'cookie of a sign-in';

const content = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.coerce.date(),
});

/**
 * Returns the cookie that binds a sign-in to the browser that started it. It is sealed, so a browser can neither read nor make
 * one.
 */
function signInCookie(secretBox: SecretBox, publicUrl: string) {
  const name = cookieName(NAME, publicUrl);

  function open(value: string): PendingSignIn | undefined {
    try {
      const pending = content.parse(JSON.parse(secretBox.open(value, OWNER)));
      return pending.expiresAt.getTime() > Date.now() ? pending : undefined;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  return {
    /** Returns the Set-Cookie header of a pending sign-in. Undefined deletes the cookie. */
    set(pending: PendingSignIn | undefined): string {
      const value = pending === undefined ? '' : secretBox.seal(JSON.stringify(pending), OWNER);
      // The response of the provider is a navigation from another site, with which SameSite=Strict sends no cookie.
      return `${name}=${value}; ${cookieAttributes('Lax', pending === undefined ? 0 : PENDING_SECONDS, publicUrl)}`;
    },
    /** Returns the pending sign-in of a Cookie header, or undefined when there is none or its time is over. */
    read: (header: string | undefined): PendingSignIn | undefined =>
      cookieValues(header, name)
        .map(open)
        .find((pending) => pending !== undefined),
  };
}

type SignInCookie = ReturnType<typeof signInCookie>;

type Deps = Pick<ApiDeps, 'sql' | 'config' | 'secretBox' | 'publicUrl'>;

const PATH = '/v1/operator/session/oidc';
const CONSOLE = '/console';
const page = { tag: 'Operators', response: z.unknown(), contentType: 'text/html' } as const;

/** Returns an address of the console as its path, query and fragment, or undefined for any other address. */
function consolePath(address: string): string | undefined {
  const base = 'http://console.invalid';
  const url = URL.parse(address, base);
  if (!address.startsWith('/') || url?.origin !== base) return undefined;
  const { pathname, search, hash } = url;
  return pathname === CONSOLE || pathname.startsWith(`${CONSOLE}/`) ? pathname + search + hash : undefined;
}

const returnTo = z
  .string()
  .max(1_000)
  .default(CONSOLE)
  .transform((address, context) => {
    const path = consolePath(address);
    if (path === undefined) context.addIssue(`Must be a path of the console: ${CONSOLE} or below.`);
    return path ?? CONSOLE;
  });
/** Parameters of the provider's response (RFC 6749, 4.1.2; RFC 9207). */
const providerResponse = z.object({
  state: z.string().max(500).optional(),
  code: z.string().max(8_000).optional(),
  iss: z.string().max(2_000).optional(),
  error: z.string().max(500).optional(),
  error_description: z.string().max(4_000).optional(),
});

export function oidcRoutes(deps: Deps, guard: SignInGuard): Route[] {
  const { sql, config, secretBox, publicUrl } = deps;
  const provider = createIdentityProvider(config, `${publicUrl}${PATH}/callback`);
  const cookie = signInCookie(secretBox, publicUrl);
  const signInAddress = `${publicUrl}${CONSOLE}/sign-in`;
  return [
    openRoute('GET /v1/operator/session/methods', {
      tag: 'Operators',
      operationId: 'getSignInMethods',
      summary: 'Read how an operator can sign in',
      response: z.object({ openIdConnect: z.boolean() }).meta({ id: 'SignInMethods' }),
      handler: async () => ({ openIdConnect: provider !== undefined }),
    }),
    openRoute(`GET ${PATH}`, {
      ...page,
      operationId: 'startOidcSignIn',
      refuses: ['SIGN_IN_NOT_CONFIGURED'],
      otherStatuses: { 302: 'Leads to the identity provider.' },
      summary: 'Sign in by OpenID Connect',
      description:
        'For browsers: redirects (302) to the identity provider, which sends the browser back within ten minutes. A browser ' +
        'that asks for HTML gets errors as a page. 404: no provider is configured. 503: the provider does not respond.',
      query: z.object({ returnTo: returnTo.describe('Path of the console to open after the sign-in.') }),
      handler: (call) =>
        readableForBrowsers(call, signInAddress, async () => {
          if (provider === undefined) throw new Refusal('SIGN_IN_NOT_CONFIGURED');
          const secrets = newSignInSecrets();
          const location = await provider.authorizationUrl(secrets);
          const expiresAt = new Date(Date.now() + PENDING_SECONDS * 1_000);
          const pending = { ...secrets, returnTo: call.query.returnTo, expiresAt };
          return new RawResponse(302, { Location: location.href, 'Set-Cookie': cookie.set(pending) });
        }),
    }),
    openRoute(`GET ${PATH}/callback`, {
      ...page,
      operationId: 'finishOidcSignIn',
      refuses: ['FORBIDDEN', 'RATE_LIMITED', 'SIGN_IN_NOT_CONFIGURED', 'UNAUTHORIZED'],
      summary: 'Receive the response of the identity provider',
      description:
        'For browsers: sets the cookie of the session and leads to the console. 401: the response does not belong to a sign-in ' +
        'of this browser, was used before, or did not pass verification. 403: no group of the user has a role, or the ' +
        'operator is revoked.',
      audits: ['operator.sign_in'],
      alsoAudits: ['operator.create', 'operator.change_role', 'operator.withdraw', 'operator.sign_in_failed'],
      // The provider has five seconds for each of up to four requests.
      timeoutMs: 30_000,
      query: providerResponse,
      handler: (call) =>
        readableForBrowsers(call, signInAddress, () =>
          guard(call, 'openid_connect', async () => {
            if (provider === undefined) throw new Refusal('SIGN_IN_NOT_CONFIGURED');
            const pending = await takePending(sql, cookie, call.headers.cookie, call.query.state, publicUrl);
            const parameters = new URLSearchParams(
              Object.entries(call.query).filter((entry): entry is [string, string] => entry[1] !== undefined),
            );
            const identity = await provider.identify(parameters, pending, call.log);
            const token = await signIn(deps, call, identity);
            const cookies = [sessionCookie(token, publicUrl), cookie.set(undefined)];
            return signedInPage(`${publicUrl}${pending.returnTo}`, cookies);
          }),
        ),
    }),
  ];
}

/**
 * Returns the sign-in to which a response of the provider belongs, once.
 * @throws Refusal `UNAUTHORIZED`
 */
async function takePending(
  sql: Queryable,
  cookie: SignInCookie,
  header: string | undefined,
  state: SignInSecrets['state'] | undefined,
  publicUrl: string,
): Promise<PendingSignIn> {
  const pending = cookie.read(header);
  if (pending === undefined || !equalBytes(Buffer.from(state ?? ''), Buffer.from(pending.state))) {
    throw new Refusal('UNAUTHORIZED', {
      message: `This browser has no such sign-in in progress at ${publicUrl}, or it took longer than ten minutes. Start again.`,
    });
  }
  if (!(await takeState(sql, pending.state, pending.expiresAt)))
    throw new Refusal('UNAUTHORIZED', { message: 'This sign-in was used before. Start again.' });
  return pending;
}

/**
 * Creates or updates the operator of a user and starts a session.
 * @returns the token of the session
 * @throws Refusal `FORBIDDEN` for a user without a role and for a revoked operator
 */
async function signIn({ sql, config }: Deps, call: CallContext, identity: Identity): Promise<string> {
  const { admission, token } = await inTransaction(sql, async (tx) => {
    const role = roleOfGroups(config.OIDC_ROLES, identity.groups);
    const admission = await admit(tx, identity, role);
    await auditAdmission(tx, call, admission, identity);
    if (admission.outcome !== 'created' && admission.outcome !== 'known') return { admission };
    const { id } = admission.account;
    await call.audit(tx, signInChange(admission.account, 'openid_connect'), admission.account);
    return { admission, token: await startSession(tx, signInOf(call, id, 'openid_connect', null)) };
  });
  const { issuer, subject } = identity;
  if (token !== undefined) {
    call.log.info({ outcome: admission.outcome, issuer, subject }, 'operator signed in by OpenID Connect');
    return token;
  }
  call.log.warn({ outcome: admission.outcome, issuer, subject }, 'a sign-in by OpenID Connect was refused');
  const account = 'account' in admission ? admission.account : admission.withdrawn?.account;
  const refusal: RefusalOptions = {
    message:
      admission.outcome === 'revoked'
        ? 'This operator is revoked.'
        : 'None of your groups has a role in Pressline. Ask an admin of Pressline or of the identity provider.',
  };
  throw account === undefined ? new Refusal('FORBIDDEN', refusal) : new RefusedAccount(account, 'FORBIDDEN', refusal);
}

/** Writes to the audit log what a sign-in changed about its account. */
async function auditAdmission(
  tx: Queryable,
  { audit }: CallContext,
  admission: Admission,
  { issuer, subject }: Identity,
): Promise<void> {
  if (admission.outcome === 'created') {
    const { account } = admission;
    const after = { name: account.name, role: account.operatorRole, issuer, subject };
    await audit(tx, { action: 'operator.create', objectId: account.id, before: null, after }, account);
  }
  if (admission.outcome === 'known' && admission.previousRole !== admission.account.operatorRole) {
    const { account, previousRole } = admission;
    const change = { before: { role: previousRole }, after: { role: account.operatorRole } };
    await audit(tx, { action: 'operator.change_role', objectId: account.id, ...change }, account);
  }
  if (admission.outcome === 'no-role' && admission.withdrawn !== undefined) {
    const { account, sessionsEnded, keysRevoked } = admission.withdrawn;
    const change = {
      before: { role: account.operatorRole },
      after: { role: 'viewer', sessionsEnded, keysRevoked },
    };
    await audit(tx, { action: 'operator.withdraw', objectId: account.id, ...change }, account);
  }
}
