import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { ApiError } from './api-error';
import type { ApiConnection } from './connection';
import { isFollowed } from './live';
import type { AnyInput, ApiResponse, Input, OperationId } from './types';

/** Time after which what the browser shows is read again: when the stream of changes follows it, and otherwise. */
const REFRESH_FOLLOWED_MS = 30_000;
const REFRESH_MS = 4_000;

/** The query parameters of a page. */
type PageParameters = Readonly<Record<string, string | number>>;

/**
 * Returns the cache of responses. A query's key is the operation and its input, with which the connection is called. A read fails
 * at once when the API refuses it. Broken connections and 503 are retried by the refresh. Calls are made whether or not the
 * browser believes to have a network: the API can be on the same machine, and a failed call shows that it is unavailable.
 */
export const createQueryClient = (connection: ApiConnection): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: (context) => {
          const { queryKey, signal, pageParam } = context as unknown as QueryContext;
          const [operation, input] = queryKey as readonly [OperationId, AnyInput];
          const paged = pageParam === undefined ? input : { ...input, query: { ...input.query, ...pageParam } };
          return connection.call(operation, paged as Input<OperationId>, { signal });
        },
        retry: false,
        staleTime: 1_000,
        networkMode: 'always',
        refetchInterval: ({ queryKey: [operation] }) =>
          connection.isStreaming && isFollowed(operation) ? REFRESH_FOLLOWED_MS : REFRESH_MS,
      },
      mutations: { networkMode: 'always' },
    },
  });

interface QueryContext {
  readonly queryKey: readonly unknown[];
  readonly signal: AbortSignal;
  readonly pageParam?: PageParameters;
}

/** Returns the query of a reading operation. The operation's name is the first part of the key, its input the second. */
export function read<K extends OperationId>(operation: K, input: Input<K>) {
  return queryOptions<ApiResponse<K>, ApiError>({ queryKey: [operation, input] });
}

/** Returns the parameters of the page that follows a page. Null: the page is the last one. */
type Next<Page> = (page: Page) => PageParameters | null;

const nextByCursor: Next<{ readonly nextCursor: string | null }> = ({ nextCursor }) =>
  nextCursor === null ? null : { cursor: nextCursor };

/** Returns the query of a list with pages. Lists without a cursor say which parameters the next page has. */
export function readPages<K extends OperationId>(
  operation: K,
  input: Input<K>,
  ...[next]: ApiResponse<K> extends { nextCursor: string | null } ? [] : [next: Next<ApiResponse<K>>]
) {
  return infiniteQueryOptions<
    ApiResponse<K>,
    ApiError,
    { pages: ApiResponse<K>[] },
    readonly unknown[],
    PageParameters
  >({
    queryKey: [operation, input, 'pages'],
    initialPageParam: {},
    getNextPageParam: next ?? (nextByCursor as Next<unknown>),
  });
}
