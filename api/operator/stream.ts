import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Authenticator, createAuthenticator } from '../../src/accounts/authenticator';
import { operatorOfSession } from '../../src/accounts/sessions';
import type { ApiDeps } from '../deps';
import { createConcurrencyLimiter } from '../http/concurrency-limit';
import { operatorsOnly, RawResponse, type Route, route } from '../http/route';
import { sessionTokenOf } from '../http/session-cookie';
import { ChangeFeed } from './change-feed';
import type { LiveCounts } from './live-counts';

/** Shorter than the idle timeouts of proxies. */
const HEARTBEAT_MS = 15_000;
/** Interval of the check that the session or key still exists. */
const CHECK_MS = 5_000;
/** Bytes that wait for a slow reader. Beyond them its stream is cut, and it reads everything again. */
const BUFFER_BYTES = 64 * 1024;
/** Streams of one operator, and of the process. */
const STREAMS_PER_OPERATOR = 50;
const STREAMS = 500;
/** Time after which a browser connects again. */
const RETRY_MS = 2_000;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  // nginx buffers responses otherwise.
  'X-Accel-Buffering': 'no',
};

type Headers = Readonly<Record<string, string | undefined>>;

/** Returns the function that tells whether the credential of a call still opens the stream. */
function stillValid(
  { sql, publicUrl }: Pick<ApiDeps, 'sql' | 'publicUrl'>,
  authenticator: Authenticator,
  headers: Headers,
): () => Promise<boolean> {
  const key = headers['x-api-key'];
  if (key !== undefined) return async () => (await authenticator.authenticate(key))?.account.role === 'operator';
  const token = sessionTokenOf(headers.cookie, publicUrl);
  return async () => token !== undefined && (await operatorOfSession(sql, token, { isUse: false })) !== undefined;
}

/** The route of the stream that tells consoles what has changed. */
export function streamRoutes(deps: Pick<ApiDeps, 'sql' | 'log' | 'publicUrl'>, counts: LiveCounts): Route[] {
  const { sql, log } = deps;
  const feed = new ChangeFeed(sql, counts, log);
  const authenticator = createAuthenticator(sql);
  const counted = createConcurrencyLimiter(
    { each: STREAMS_PER_OPERATOR, all: STREAMS },
    {
      message: `No more than ${STREAMS_PER_OPERATOR} streams of one operator, and ${STREAMS} of a process, are open at once.`,
      retryAfter: 10,
    },
  );

  return [
    route({
      method: 'get',
      path: '/v1/operator/stream',
      operationId: 'streamChanges',
      summary: 'Stream what changes',
      description:
        'Server-sent events. `orders` (`{"ids"}`): these orders have changed. `counts` (`{"changed"}`): `orders`, `attention` or `jobs` of the ' +
        'summary have changed. `messages` (`{}`): numbers of pending or dead messages have changed. `reset` (`{}`): read everything ' +
        'again. Events follow within 5 s of a change and hold no content. A request with `Last-Event-ID` gets the events after it, or `reset` ' +
        'when they are not known any more. A comment every 15 s keeps the connection open. The stream ends with the session or ' +
        'key, and when a reader is too slow. 429: too many streams.',
      tag: 'Operator: system',
      access: operatorsOnly('viewer'),
      response: z.string(),
      contentType: 'text/event-stream',
      handler: async ({ headers, account }) => {
        const release = counted(account.id);
        const isValid = stillValid(deps, authenticator, headers);
        const body = new Readable({ read: () => undefined, highWaterMark: BUFFER_BYTES });
        let hasEnded = false;
        const finish = () => {
          if (!hasEnded) body.push(null);
          hasEnded = true;
        };
        const push = (text: string) => {
          if (hasEnded || body.destroyed) return;
          body.push(text);
          // The reader does not take what waits for it. A stream of few bytes needs no other limit.
          if (body.readableLength > BUFFER_BYTES) body.destroy();
        };
        const { missed, end } = feed.subscribe(headers['last-event-id'], ({ text }) => push(text));
        const heartbeat = setInterval(() => push(': heartbeat\n\n'), HEARTBEAT_MS);
        const check = setInterval(() => {
          // While Postgres is unavailable, the next check decides.
          isValid().then(
            (valid) => valid || finish(),
            () => undefined,
          );
        }, CHECK_MS);
        body.once('close', () => {
          clearInterval(heartbeat);
          clearInterval(check);
          end();
          release();
        });
        push(`retry: ${RETRY_MS}\n\n`);
        if (missed === null) push('event: reset\ndata: {}\n\n');
        for (const { text } of missed ?? []) push(text);
        return new RawResponse(200, HEADERS, body);
      },
    }),
  ];
}
