import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ApiConnection, ConnectionProvider, useConnection } from '../api/connection';
import { createQueryClient } from '../api/queries';
import { useSession, useSigning } from '../api/session';
import { ErrorAlert } from '../components/layout/error-alert';
import { ClockProvider } from '../components/values/time';
import { router, routerKey } from './router';
import { cssVariables, theme } from './theme';

/**
 * The nonce that the content security policy of this page accepts for style elements. Empty under the development server,
 * which sends no policy.
 */
const cspNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

declare global {
  var __webpack_nonce__: string;
}

// The library that locks scrolling behind dialogs reads the nonce from this global.
globalThis.__webpack_nonce__ = cspNonce;

// Who is signed in does not load it.
const SignIn = lazy(async () => ({ default: (await import('../screens/sign-in/sign-in')).SignIn }));

/** Returns the connection to the API and the cache of its responses. */
function openConnection() {
  const connection = new ApiConnection();
  return { connection, queryClient: createQueryClient(connection) };
}

export function App() {
  const [{ connection, queryClient }] = useState(openConnection);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => cspNonce}
    >
      <ConnectionProvider value={connection}>
        <QueryClientProvider client={queryClient}>
          <ClockProvider>
            <SignedIn />
          </ClockProvider>
        </QueryClientProvider>
      </ConnectionProvider>
    </MantineProvider>
  );
}

/** Shows the console to an operator, and the sign-in screen to everybody else. The address stays as it is. */
function SignedIn() {
  const { data, error, refetch } = useSession();
  const connection = useConnection();
  const { ended } = useSigning();
  useEffect(() => {
    connection.onSessionEnded = ended;
  });
  if (data !== undefined)
    return data.session === null ? (
      <Suspense fallback={null}>
        <SignIn refusedLink={data.refusedLink} />
      </Suspense>
    ) : (
      <RouterProvider key={routerKey} router={router} />
    );
  return error === null ? null : <ErrorAlert error={error} onRetry={refetch} />;
}
