import { infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import { type Answer, type ApiError, call, type Input, type OperationId } from './call';

/** Time after which lists and orders are read again while the browser shows them. */
export const REFRESH_MS = 4_000;

/** A read fails at once when the API refuses it. Broken connections and 503 are retried by the refresh. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 1_000, refetchInterval: REFRESH_MS } },
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
