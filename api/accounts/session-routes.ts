import { z } from 'zod';
import { type Account, OPERATOR_ROLES } from '../../src/accounts/account';
import { createAuthenticator } from '../../src/accounts/authenticator';
import { csrfTokenOf, endSession, startSession } from '../../src/accounts/sessions';
import { signInAct } from '../../src/accounts/sign-in-act';
import { Refusal } from '../../src/platform/errors';
import { inTransaction } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { operatorsOnly, RawAnswer, type Route, route } from '../http/route';
import { sessionCookie, sessionTokenOf } from '../http/session-cookie';

type Deps = Pick<ApiDeps, 'sql' | 'publicUrl'>;

const PATH = '/v1/operator/session';
const common = { path: PATH, tag: 'Operators', errors: 'coded' } as const;

const session = z
  .object({
    operator: z.object({ id: z.string(), name: z.string(), role: z.enum(OPERATOR_ROLES) }),
    csrfToken: z.string().describe('Send it as `X-CSRF-Token` with every request that is not a GET.'),
  })
  .meta({ id: 'OperatorSession' });

/** Returns a session as answers show it. */
export function sessionView({ id, name, operatorRole }: Account, token: string): z.input<typeof session> {
  return { operator: { id, name, role: operatorRole! }, csrfToken: csrfTokenOf(token) };
}

function withCookie(answer: object, cookie: string): RawAnswer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Set-Cookie': cookie };
  return new RawAnswer(200, headers, JSON.stringify(answer));
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
    route({
      ...common,
      method: 'post',
      operationId: 'startOperatorSession',
      summary: 'Sign in',
      description:
        'Sets a cookie for 12 hours (HttpOnly, SameSite=Strict). It opens the routes for operators and no others. Changing ' +
        'requests with the cookie need `X-CSRF-Token`, else 403. The session ends at once when its operator or key is revoked.',
      access: { credentials: 'none' },
      body: z.object({ apiKey: z.string().max(200) }).meta({ id: 'SignIn' }),
      response: session,
      audits: ['operator.sign_in'],
      handler: async ({ body, log, audit }) => {
        const caller = await authenticator.authenticate(body.apiKey);
        if (caller?.account.role !== 'operator') {
          throw new Refusal('UNAUTHORIZED', { message: 'This is not the API key of an operator.' });
        }
        const { account, keyId } = caller;
        const token = await inTransaction(sql, async (tx) => {
          await audit(tx, signInAct(account, 'api_key'), account);
          return await startSession(tx, account.id, keyId);
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
