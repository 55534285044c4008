import { z } from 'zod';
import { type Account, OPERATOR_ROLES } from '../../src/accounts/account';
import { type Authenticator, createAuthenticator } from '../../src/accounts/authenticator';
import {
  csrfTokenOf,
  endSession,
  redeemOneTimeToken,
  type SignInMethod,
  signInChange,
  startSession,
} from '../../src/accounts/sessions';
import { crossField, property } from '../../src/platform/domain/cross-field';
import { Refusal } from '../../src/platform/errors';
import { inTransaction, type Queryable } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { openRoute, operatorsOnly, RawResponse, type Route, route } from '../http/route';
import { sessionCookie, sessionTokenOf } from '../http/session-cookie';

type Deps = Pick<ApiDeps, 'sql' | 'publicUrl'>;

const PATH = '/v1/operator/session';
const common = { path: PATH, tag: 'Operators' } as const;

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
).meta({ id: 'SignIn' });

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
async function signerOfKey(authenticator: Authenticator, apiKey: string | undefined): Promise<Signer> {
  const caller = await authenticator.authenticate(apiKey);
  if (caller?.account.role !== 'operator')
    throw new Refusal('UNAUTHORIZED', { message: 'This is not the API key of an operator.' });
  return { account: caller.account, method: 'api_key', keyId: caller.keyId };
}

/** Returns a session as responses show it. */
export function sessionView({ id, name, operatorRole }: Account, token: string): z.input<typeof session> {
  return { operator: { id, name, role: operatorRole! }, csrfToken: csrfTokenOf(token) };
}

function withCookie(body: object, cookie: string): RawResponse {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Set-Cookie': cookie };
  return new RawResponse(200, headers, JSON.stringify(body));
}

/** Returns the token of the session that a call uses. @throws Refusal `NOT_FOUND` for a call with an API key */
function tokenOf(headers: Readonly<Record<string, string | undefined>>): string {
  const token = headers['x-api-key'] === undefined ? sessionTokenOf(headers.cookie) : undefined;
  if (token === undefined) throw new Refusal('NOT_FOUND', { message: 'The request uses no session.' });
  return token;
}

/** Routes with which an operator signs a browser in and out. */
export function sessionRoutes({ sql, publicUrl }: Deps): Route[] {
  const authenticator = createAuthenticator(sql);
  return [
    openRoute({
      ...common,
      method: 'post',
      operationId: 'startOperatorSession',
      summary: 'Sign in',
      description:
        'Sets a cookie for 12 hours (HttpOnly, SameSite=Strict). It opens the routes for operators and no others. Changing ' +
        'requests with the cookie need `X-CSRF-Token`, else 403. The session ends at once when its operator or key is revoked.',
      addressLimit: 'sign_in',
      body: signIn,
      response: session,
      audits: ['operator.sign_in'],
      handler: async ({ body, log, audit }) => {
        const { apiKey, oneTimeToken } = body;
        // Outside the transaction: unknown keys need none.
        const known = oneTimeToken === undefined ? await signerOfKey(authenticator, apiKey) : undefined;
        const { account, token } = await inTransaction(sql, async (tx) => {
          const signer = known ?? (await signerOfToken(tx, oneTimeToken!));
          await audit(tx, signInChange(signer.account, signer.method), signer.account);
          return { ...signer, token: await startSession(tx, signer.account.id, signer.keyId) };
        });
        log.info({ operator: account.name }, 'operator signed in');
        return withCookie(sessionView(account, token), sessionCookie(token, publicUrl));
      },
    }),
    route({
      ...common,
      method: 'get',
      operationId: 'getOperatorSession',
      summary: 'Read the session of the cookie',
      description: '404: the request uses an API key.',
      access: operatorsOnly('viewer'),
      response: session,
      handler: async ({ account, headers }) => sessionView(account, tokenOf(headers)),
    }),
    route({
      ...common,
      method: 'delete',
      operationId: 'endOperatorSession',
      summary: 'Sign out',
      access: operatorsOnly('viewer'),
      response: z.object({ ended: z.literal(true) }),
      handler: async ({ account, headers, log }) => {
        await endSession(sql, tokenOf(headers));
        log.info({ operator: account.name }, 'operator signed out');
        return withCookie({ ended: true }, sessionCookie(undefined, publicUrl));
      },
    }),
  ];
}
