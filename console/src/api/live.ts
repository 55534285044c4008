import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type ApiConnection, useConnection } from './connection';
import type { AnyInput, OperationId } from './types';

/** Server-sent events. The generated client has no streams. */
const STREAM = '/v1/operator/stream';
/** Least time between two reads of what events made stale. The first event after a pause is followed at once. */
const BETWEEN_READS_MS = 2_000;
/** The events of one change arrive together. */
const GATHER_MS = 100;
/** Time before a stream that the API has refused is opened again. */
const REOPEN_MS = 5_000;

/** The operations whose responses an event makes stale, beside all queries of an order that the event names. */
const STALE = {
  orders: ['listOperatorOrders'],
  counts: ['getOperatorSummary', 'listOperatorOrders', 'listJobs'],
  messages: ['getOperatorSummary', 'listOutboxMessages', 'listDeadMessages', 'listOrderDeliveries'],
} as const satisfies Record<string, readonly OperationId[]>;
type EventName = keyof typeof STALE;

/** Operations whose responses do not change without an event. The others are also read again at short intervals. */
const FOLLOWED: ReadonlySet<unknown> = new Set<OperationId>([
  'listOperatorOrders',
  'getOperatorSummary',
  'getOperatorOrder',
  'getOrder',
  'listOrderDocuments',
]);

/** Returns true when the open stream of changes says whenever the response of an operation changes. */
export const isFollowed = (operation: unknown): boolean => FOLLOWED.has(operation);

/** Keeps every query up to date by the stream of changes. Queries need nothing but the key that `read` gives them. */
export function useLive(): void {
  const queries = useQueryClient();
  const connection = useConnection();
  useEffect(() => {
    let stop: (() => void) | undefined;
    // A hidden tab needs no stream. Browsers open few connections to one host.
    const follow = () => {
      if (document.visibilityState === 'visible') stop ??= followChanges(connection, queries);
      else {
        stop?.();
        stop = undefined;
      }
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stop?.();
    };
  }, [connection, queries]);
}

/** Opens the stream of changes and keeps it open. Returns the function that closes it. */
function followChanges(connection: ApiConnection, queries: QueryClient): () => void {
  const stale = new StaleQueries(queries);
  let source: EventSource | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource(STREAM);
    source.onopen = () => {
      connection.isStreaming = true;
      connection.setReachable('stream', true);
      // What was read before the stream opened can have changed without an event.
      stale.add(() => true);
    };
    source.onerror = () => {
      connection.isStreaming = false;
      const isRefused = source?.readyState === EventSource.CLOSED;
      // A refusal is a response. The calls find out whether the session has ended, and read at short intervals meanwhile.
      connection.setReachable('stream', isRefused);
      stale.add(() => true);
      // The browser opens a broken stream again, but not one that was refused.
      if (isRefused) reopening = setTimeout(open, REOPEN_MS);
    };
    for (const name of Object.keys(STALE) as EventName[]) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        const { ids = [] } = JSON.parse(data) as { ids?: readonly string[] };
        stale.add(isStaleBy(name, new Set(ids)));
      });
    }
    source.addEventListener('reset', () => stale.add(() => true));
  };
  open();
  return () => {
    connection.isStreaming = false;
    connection.setReachable('stream', true);
    source?.close();
    clearTimeout(reopening);
    stale.clear();
  };
}

/** Returns the test of the queries that an event makes stale. */
function isStaleBy(name: EventName, orderIds: ReadonlySet<string>) {
  const operations: readonly unknown[] = STALE[name];
  return ({ queryKey: [operation, input] }: Query): boolean => {
    const { orderId } = (input as AnyInput | undefined)?.params ?? {};
    return operations.includes(operation) || (orderId !== undefined && orderIds.has(String(orderId)));
  };
}

/** Reads stale queries again, several at a time and not too often. */
class StaleQueries {
  private tests: ((query: Query) => boolean)[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly queries: QueryClient) {}

  add(test: (query: Query) => boolean): void {
    this.tests.push(test);
    this.schedule();
  }

  clear(): void {
    this.tests = [];
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(): void {
    const wait = Math.max(GATHER_MS, this.readAt + BETWEEN_READS_MS - performance.now());
    this.timer ??= setTimeout(() => this.read(), wait);
  }

  private read(): void {
    this.timer = undefined;
    this.readAt = performance.now();
    const { tests } = this;
    const predicate = (query: Query) => query.queryKey[0] !== 'session' && tests.some((test) => test(query));
    // A read that has begun may lack the change, and must not be cut off: it may be the next page of a list.
    const isReading = this.queries.isFetching({ predicate }) > 0;
    void this.queries.invalidateQueries({ predicate }, { cancelRefetch: false });
    if (isReading) this.schedule();
    else this.tests = [];
  }
}
