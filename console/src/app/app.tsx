import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { onSessionEnded } from '../api/call';
import { queryClient } from '../api/queries';
import { useSession, useSigning } from '../api/session';
import { ErrorAlert } from '../components/error-alert';
import { SignIn } from '../screens/sign-in/sign-in';
import { cspNonce } from './csp-nonce';
import { router, routerKey } from './router';
import { cssVariables, theme } from './theme';

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => cspNonce}
    >
      <QueryClientProvider client={queryClient}>
        <SignedIn />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Shows the console to an operator, and the sign-in screen to everybody else. The address stays as it is. */
function SignedIn() {
  const session = useSession();
  const { ended } = useSigning();
  useEffect(() => onSessionEnded(ended));
  if (session.data !== undefined)
    return session.data === null ? <SignIn /> : <RouterProvider key={routerKey} router={router} />;
  if (session.error) return <ErrorAlert error={session.error} onRetry={() => session.refetch()} />;
  return null;
}
