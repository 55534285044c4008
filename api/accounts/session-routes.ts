import { z } from 'zod';
import { type Account, OPERATOR_ROLES } from '../../src/accounts/account';
import { type Authenticator, accountOfKey, createAuthenticator } from '../../src/accounts/authenticator';
import {
  csrfTokenOf,
  endSession,
  endSessionById,
  listSessions,
  redeemOneTimeToken,
  type SignIn,
  type SignInMethod,
  sessionSchema,
  signInChange,
  startSession,
} from '../../src/accounts/sessions';
import { crossField, property } from '../../src/platform/domain/fields';
import { Refusal } from '../../src/platform/errors';
import { foundById, isUuid } from '../../src/platform/ids';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { requireOperatorRole } from '../http/authentication';
import { type CallContext, forOperators, openRoute, RawResponse, type Route, route } from '../http/route';
import { sessionCookie, sessionTokenOf } from '../http/session-cookie';
import { RefusedAccount, type SignInGuard } from './sign-in-guard';

type Deps = Pick<ApiDeps, 'sql' | 'publicUrl'>;

const PATH = '/v1/operator/session';
const SESSIONS = '/v1/operator/sessions';

const session = z
  .object({
    operator: z.object({ id: z.string(), name: z.string(), role: z.enum(OPERATOR_ROLES) }),
    csrfToken: z.string().describe('Send it as `X-CSRF-Token` with every request that is not a GET.'),
  })
  .meta({ id: 'OperatorSession' });

const signIn = crossField(
  z.object({
    apiKey: z.string().max(200).optional().describe('The API key of an operator.'),
    oneTimeToken: z
      .string()
      .max(200)
      .optional()
      .describe('The token of a one-time sign-in link. It works once, for ten minutes.'),
  }),
  (value, report) => {
    const given = ['apiKey', 'oneTimeToken'].filter((name) => property(value, name) !== undefined);
    if (given.length === 0) report(['apiKey'], 'Send apiKey or oneTimeToken.', 'MISSING_FIELD_ERROR');
    if (given.length === 2) report(['oneTimeToken'], 'Send either apiKey or oneTimeToken.');
  },
).meta({ id: 'SignIn', examples: [{ apiKey: 'plk_…' }] });

/** Who signs in, and how. The session ends with the key, when there is one. */
interface Signer {
  readonly account: Account;
  readonly method: SignInMethod;
  readonly keyId: string | null;
}

/** Returns the operator of a one-time token, which is used up. @throws Refusal `UNAUTHORIZED` */
async function signerOfToken(tx: Queryable, oneTimeToken: string): Promise<Signer> {
  const account = await redeemOneTimeToken(tx, oneTimeToken);
  if (account !== undefined) return { account, method: 'one_time_link', keyId: null };
  throw new Refusal('UNAUTHORIZED', {
    message: 'This sign-in link was used before, or it is older than ten minutes.',
  });
}

/** Returns the operator of a key. @throws Refusal `UNAUTHORIZED` */
async function signerOfKey({ sql }: Deps, authenticator: Authenticator, apiKey: string): Promise<Signer> {
  const caller = await authenticator.authenticate(apiKey);
  if (caller?.account.role === 'operator') return { account: caller.account, method: 'api_key', keyId: caller.keyId };
  const message = 'This is not the API key of an operator.';
  const account = caller?.account ?? (await accountOfKey(sql, apiKey));
  if (account !== undefined) throw new RefusedAccount(account, 'UNAUTHORIZED', { message });
  throw new Refusal('UNAUTHORIZED', { message });
}

/** Returns the sign-in of a call as its session stores it. */
export function signInOf(
  { address, headers }: Pick<CallContext, 'address' | 'headers'>,
  accountId: string,
  method: SignInMethod,
  keyId: string | null,
): SignIn {
  return { accountId, method, keyId, address, userAgent: headers['user-agent'] };
}

function sessionView({ id, name, operatorRole }: Account, token: string): z.input<typeof session> {
  return { operator: { id, name, role: operatorRole! }, csrfToken: csrfTokenOf(token) };
}

function withCookie(body: object, cookie: string): RawResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Set-Cookie': cookie };
  return new RawResponse(200, headers, JSON.stringify(body));
}

/** Returns the token of the session that a call uses. @throws Refusal `NOT_FOUND` for a call with an API key */
function tokenOf({ publicUrl }: Deps, headers: Readonly<Record<string, string | undefined>>): string {
  const token = headers['x-api-key'] === undefined ? sessionTokenOf(headers.cookie, publicUrl) : undefined;
  if (token === undefined) throw new Refusal('NOT_FOUND', { message: 'The request uses no session.' });
  return token;
}

export function sessionRoutes(deps: Deps, guard: SignInGuard): Route[] {
  const { sql, publicUrl } = deps;
  const authenticator = createAuthenticator(sql);
  return [
    openRoute(`POST ${PATH}`, {
      tag: 'Operators',
      operationId: 'startOperatorSession',
      refuses: ['FORBIDDEN', 'RATE_LIMITED', 'UNAUTHORIZED'],
      summary: 'Sign in',
      description:
        'Sets a cookie for 12 hours (HttpOnly, SameSite=Strict). It opens the routes for operators and no others. Changing ' +
        'requests with the cookie need `X-CSRF-Token`, else 403. The session ends at once when its operator or key is ' +
        'revoked, and after an hour without a request. 429: too many failed sign-ins of the address or the account.',
      body: signIn,
      response: session,
      audits: ['operator.sign_in'],
      alsoAudits: ['operator.sign_in_failed'],
      handler: async (call) => {
        const { apiKey, oneTimeToken } = call.body;
        return await guard(call, oneTimeToken === undefined ? 'api_key' : 'one_time_link', async () => {
          // Outside the transaction: unknown keys need none.
          const known = oneTimeToken === undefined ? await signerOfKey(deps, authenticator, apiKey!) : undefined;
          const { account, token } = await inTransaction(sql, async (tx) => {
            const signer = known ?? (await signerOfToken(tx, oneTimeToken!));
            const { method, keyId } = signer;
            await call.audit(tx, signInChange(signer.account, method), signer.account);
            return { ...signer, token: await startSession(tx, signInOf(call, signer.account.id, method, keyId)) };
          });
          call.log.info({ operator: account.name }, 'operator signed in');
          return withCookie(sessionView(account, token), sessionCookie(token, publicUrl));
        });
      },
    }),
    route(`GET ${PATH}`, {
      ...forOperators('Operators', 'viewer'),
      operationId: 'getOperatorSession',
      refuses: ['NOT_FOUND'],
      summary: 'Read the session of the cookie',
      description: '404: the request uses an API key.',
      response: session,
      handler: async ({ account, headers }) => sessionView(account, tokenOf(deps, headers)),
    }),
    route(`DELETE ${PATH}`, {
      ...forOperators('Operators', 'viewer'),
      operationId: 'endOperatorSession',
      refuses: ['NOT_FOUND'],
      summary: 'Sign out',
      response: z.object({ ended: z.literal(true) }),
      handler: async ({ account, headers, log }) => {
        await endSession(sql, tokenOf(deps, headers));
        log.info({ operator: account.name }, 'operator signed out');
        return withCookie({ ended: true }, sessionCookie(undefined, publicUrl));
      },
    }),
    route(`GET ${SESSIONS}`, {
      ...forOperators('Operators', 'viewer'),
      operationId: 'listSessions',
      summary: 'List the sessions that have not ended, newest first',
      query: z.object({
        operatorId: z.string().max(100).optional().describe('Default: the caller. Another operator’s: for admins.'),
      }),
      response: z.object({ sessions: z.array(sessionSchema) }),
      handler: async ({ account, headers, query: { operatorId = account.id } }) => {
        if (operatorId !== account.id) requireOperatorRole(account, 'admin');
        const current = sessionTokenOf(headers.cookie, publicUrl);
        return { sessions: isUuid(operatorId) ? await listSessions(sql, operatorId, current) : [] };
      },
    }),
    route(`DELETE ${SESSIONS}/{sessionId}`, {
      ...forOperators('Operators', 'viewer'),
      operationId: 'endSession',
      summary: 'End a session',
      description: 'One’s own, or any as an admin.',
      audits: ['operator.end_session'],
      params: z.object({ sessionId: z.string().max(100) }),
      response: z.object({ id: z.string(), ended: z.literal(true) }),
      handler: ({ account, params: { sessionId: id }, audit }) =>
        inTransaction(sql, async (tx) => {
          const owner = account.operatorRole === 'admin' ? null : account.id;
          const ended = await foundById(id, () => endSessionById(tx, id, owner), 'There is no such session.');
          const before = { sessionId: id, method: ended.method };
          await audit(tx, { action: 'operator.end_session', objectId: ended.accountId, before, after: null });
          return { id, ended: true as const };
        }),
    }),
  ];
}
