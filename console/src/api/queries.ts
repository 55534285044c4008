import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { type Answer, type ApiError, call, type Input, type OperationId } from './call';
import { isFollowed } from './live';

/** Time after which what the browser shows is read again: when the stream of changes follows it, and otherwise. */
const REFRESH_FOLLOWED_MS = 30_000;
const REFRESH_MS = 4_000;

/**
 * A read fails at once when the API refuses it. Broken connections and 503 are retried by the refresh. Calls are made whether or
 * not the browser believes to have a network: the API can be on the same machine, and a failed call shows that it is away.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 1_000,
      networkMode: 'always',
      refetchInterval: ({ queryKey: [operation] }) =>
        isFollowed(operation) ? REFRESH_FOLLOWED_MS : REFRESH_MS,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Returns the query of a reading operation. The operation's name is the first part of the key, its input the second. */
export function read<K extends OperationId>(operation: K, input: Input<K>) {
  return queryOptions<Answer<K>, ApiError>({
    queryKey: [operation, input],
    queryFn: ({ signal }) => call(operation, input, { signal }),
  });
}

/** Operations that return a page with a cursor. */
type Paged = {
  [K in OperationId]: Answer<K> extends { nextCursor: string | null } ? K : never;
}[OperationId];

/** Returns the query of a list with pages. */
export function readPages<K extends Paged>(operation: K, input: Input<K>) {
  return infiniteQueryOptions({
    queryKey: [operation, input, 'pages'],
    queryFn: ({ signal, pageParam }) => {
      const { query = {} } = input as { query?: object };
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return call(operation, { ...input, query: { ...query, ...cursor } } as Input<K>, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { nextCursor: string | null }).nextCursor,
  });
}
