import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, ApiError, call, setCsrfToken } from './call';

export type Session = Answer<'getOperatorSession'>;
export type OperatorRole = Session['operator']['role'];

const KEY = ['session'];
const ROLES: readonly OperatorRole[] = ['viewer', 'operator', 'admin'];

/** Returns the token of a one-time sign-in link, and takes it out of the address: it works once. */
function takeOneTimeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

let refusedLink: ApiError | null = null;

/** Returns why a one-time sign-in link did not work. Null: there was none, or it did. */
export const whyLinkRefused = (): ApiError | null => refusedLink;

/** Returns the session of this browser. Null: nobody is signed in. */
async function readSession(): Promise<Session | null> {
  try {
    const oneTimeToken = takeOneTimeToken();
    const session =
      oneTimeToken === null
        ? await call('getOperatorSession', {})
        : await call('startOperatorSession', { body: { oneTimeToken } });
    setCsrfToken(session.csrfToken);
    return session;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 404)) throw error;
    if (error.operation === 'startOperatorSession') refusedLink = error;
    return null;
  }
}

export function useSession() {
  return useQuery({ queryKey: KEY, queryFn: readSession, staleTime: 60_000, refetchInterval: 60_000 });
}

/** Returns functions that begin and end the session. */
export function useSigning() {
  const client = useQueryClient();
  const forget = () => {
    client.setQueryData(KEY, null);
    // What the operator has read is not shown to the next one.
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  };
  return {
    async signIn(apiKey: string): Promise<void> {
      const session = await call('startOperatorSession', { body: { apiKey } });
      setCsrfToken(session.csrfToken);
      client.setQueryData(KEY, session);
    },
    async signOut(): Promise<void> {
      await call('endOperatorSession', {}).catch((error: unknown) => {
        // A session that has ended already needs no end.
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      });
      forget();
    },
    /** Shows the sign-in screen, because the API no longer accepts the session. */
    ended(): void {
      if (client.getQueryData(KEY) != null) forget();
    },
  };
}

/** Returns true when the operator has at least a role. The API enforces the roles; this hides what it would refuse. */
export function useMay(least: OperatorRole): boolean {
  const role = useSession().data?.operator.role;
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}
