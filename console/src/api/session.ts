import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error';
import { type ApiConnection, useConnection } from './connection';
import type { ApiResponse } from './types';

type Session = ApiResponse<'getOperatorSession'>;
export type OperatorRole = Session['operator']['role'];

/** Who is signed in to this browser. */
interface SignedIn {
  /** Null: nobody is signed in. */
  readonly session: Session | null;
  /** Why a one-time sign-in link did not work. Null: there was none, or it did. */
  readonly refusedLink: ApiError | null;
}

const KEY = ['session'];
const NOBODY: SignedIn = { session: null, refusedLink: null };
const ROLES: readonly OperatorRole[] = ['viewer', 'operator', 'admin'];

/** Returns the token of a one-time sign-in link, and takes it out of the address: it works once. */
function takeOneTimeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

async function readSession(connection: ApiConnection, client: QueryClient): Promise<SignedIn> {
  try {
    const oneTimeToken = takeOneTimeToken();
    const session =
      oneTimeToken === null
        ? await connection.call('getOperatorSession', {})
        : await connection.call('startOperatorSession', { body: { oneTimeToken } });
    connection.csrfToken = session.csrfToken;
    return { session, refusedLink: null };
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 404)) throw error;
    if (error.operation === 'startOperatorSession') return { session: null, refusedLink: error };
    return { session: null, refusedLink: client.getQueryData<SignedIn>(KEY)?.refusedLink ?? null };
  }
}

/** Returns the query of who is signed in. */
export function useSession() {
  const connection = useConnection();
  return useQuery({
    queryKey: KEY,
    queryFn: ({ client }) => readSession(connection, client),
    staleTime: 60_000,
    refetchInterval: 60_000,
  });
}

/** Returns functions that begin and end the session. */
export function useSigning() {
  const connection = useConnection();
  const client = useQueryClient();
  const forget = () => {
    client.setQueryData(KEY, NOBODY);
    // What the operator has read is not shown to the next one.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  };
  return {
    async signIn(apiKey: string): Promise<void> {
      const session = await connection.call('startOperatorSession', { body: { apiKey } });
      connection.csrfToken = session.csrfToken;
      client.setQueryData<SignedIn>(KEY, { session, refusedLink: null });
    },
    async signOut(): Promise<void> {
      await connection.call('endOperatorSession', {}).catch((error: unknown) => {
        // A session that has ended already needs no end.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      });
      forget();
    },
    /** Shows the sign-in screen, because the API no longer accepts the session. */
    ended(): void {
      if (client.getQueryData<SignedIn>(KEY)?.session != null) forget();
    },
  };
}

/** Returns true when the operator has at least a role. The API enforces the roles; this hides what it would refuse. */
export function useMay(least: OperatorRole): boolean {
  const role = useSession().data?.session?.operator.role;
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}
