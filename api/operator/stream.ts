import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Authenticator, createAuthenticator } from '../../src/accounts/authenticator';
import { operatorOfSession } from '../../src/accounts/sessions';
import { createOrderChangeReader, type OrderChangeReader } from '../../src/orders/reading/order-changes';
import type { Logger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import type { ApiDeps } from '../deps';
import { createConcurrencyLimiter } from '../http/request-limits';
import { forOperators, RawResponse, type Route, route } from '../http/route';
import { sessionTokenOf } from '../http/session-cookie';
import type { LiveCounts } from './summary';

/** One event of the stream, in the form of the wire. */
interface FeedEvent {
  /** Position, unique over all processes. */
  readonly id: string;
  readonly text: string;
}

/** Interval of the reads. All streams of a process share them. */
const READ_MS = 1_000;
/** Events that a reconnecting stream can resume after. */
const KEPT_EVENTS = 1_000;
/** Order ids in one event. */
const IDS = 500;

/** What changes beside orders, and the event that says so. */
type Figures = Readonly<Record<'orders' | 'attention' | 'jobs' | 'messages', string>>;

/**
 * Reads what has changed, and passes it to the streams of this process. It reads only while there is a stream. An event holds
 * ids and names, no content: the console then reads what it shows, with the rights of its operator.
 */
class ChangeFeed {
  private readonly streams = new Set<(event: FeedEvent) => void>();
  private kept: FeedEvent[] = [];
  /** Changes with each start of the reads: what changed before it is not known. */
  private epoch = '';
  private count = 0;
  private reader: OrderChangeReader | undefined;
  private figures: Figures | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly counts: LiveCounts,
    private readonly log: Logger,
  ) {}

  /**
   * Adds a stream.
   * @returns the events after `lastId`, or null when they are not known any more; and the function that removes the stream
   */
  subscribe(
    lastId: string | undefined,
    push: (event: FeedEvent) => void,
  ): { readonly missed: readonly FeedEvent[] | null; readonly end: () => void } {
    if (this.streams.size === 0) this.start();
    const missed = lastId === undefined ? [] : this.after(lastId);
    this.streams.add(push);
    return {
      missed,
      end: () => {
        this.streams.delete(push);
        if (this.streams.size === 0) this.stop();
      },
    };
  }

  private after(lastId: string): readonly FeedEvent[] | null {
    if (lastId === `${this.epoch}-${this.count}`) return [];
    const index = this.kept.findIndex(({ id }) => id === lastId);
    return index < 0 ? null : this.kept.slice(index + 1);
  }

  private start(): void {
    this.epoch = randomUUID().slice(0, 8);
    this.count = 0;
    this.kept = [];
    this.figures = undefined;
    this.reader = createOrderChangeReader(this.sql);
    this.next(0);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.reader = undefined;
  }

  private next(ms: number): void {
    const { reader } = this;
    this.timer = setTimeout(async () => {
      await this.read(reader!).catch((error: unknown) =>
        this.log.warn({ err: error }, 'changes could not be read; the next read covers the same time'),
      );
      // Another start may have replaced this one meanwhile.
      if (this.reader === reader) this.next(READ_MS);
    }, ms);
  }

  private async read(reader: OrderChangeReader): Promise<void> {
    const [ids, counts] = await Promise.all([reader(), this.counts()]);
    if (this.reader !== reader) return;
    for (let from = 0; from < ids.length; from += IDS) this.emit('orders', { ids: ids.slice(from, from + IDS) });
    const figures: Figures = {
      orders: JSON.stringify([...counts.orders].sort()),
      attention: JSON.stringify(counts.attention.map(({ reason, orders }) => [reason, orders])),
      jobs: JSON.stringify(counts.results),
      messages: JSON.stringify(counts.outbox.map(({ kind, pending, dead }) => [kind, pending, dead])),
    };
    const before = this.figures;
    this.figures = figures;
    if (before === undefined) return;
    const changed = (['orders', 'attention', 'jobs'] as const).filter((name) => figures[name] !== before[name]);
    if (changed.length > 0) this.emit('counts', { changed });
    if (figures.messages !== before.messages) this.emit('messages', {});
  }

  private emit(type: string, data: object): void {
    this.count += 1;
    const id = `${this.epoch}-${this.count}`;
    const event = { id, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n` };
    this.kept.push(event);
    if (this.kept.length > KEPT_EVENTS) this.kept.shift();
    for (const push of [...this.streams]) push(event);
  }
}

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
    route('GET /v1/operator/stream', {
      ...forOperators('Operator: system', 'viewer'),
      operationId: 'streamChanges',
      summary: 'Stream what changes',
      description:
        'Server-sent events. `orders` (`{"ids"}`): these orders have changed. `counts` (`{"changed"}`): `orders`, `attention` or `jobs` of the ' +
        'summary have changed. `messages` (`{}`): numbers of pending or dead messages have changed. `reset` (`{}`): read everything ' +
        'again. Events follow within 5 s of a change and hold no content. A request with `Last-Event-ID` gets the events after it, or `reset` ' +
        'when they are not known any more. A comment every 15 s keeps the connection open. The stream ends with the session or ' +
        'key, and when a reader is too slow. 429: too many streams.',
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
