import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error';
import { read } from '../../api/queries';
import { useSigning } from '../../api/session';
import { ErrorAlert } from '../../components/layout/error-alert';
import icon from '../../components/layout/icon.svg';
import * as texts from '../../texts';
import styles from './sign-in.module.css';

/** Returns the address that begins a sign-in by OpenID Connect and leads back to this screen. */
function openIdConnectAddress(): string {
  const returnTo = location.pathname.endsWith('/sign-in') ? '/console' : location.pathname + location.search;
  return `/v1/operator/session/oidc?${new URLSearchParams({ returnTo })}`;
}

/** @param refusedLink why the one-time sign-in link that opened the console did not work */
export function SignIn({ refusedLink }: { readonly refusedLink: ApiError | null }) {
  const { title, apiKey, button, help, wrongKey, openIdConnect } = texts.common.signIn;
  const { signIn } = useSigning();
  const [key, setKey] = useState('');
  const signing = useMutation({ mutationFn: () => signIn(key.trim()) });
  useEffect(() => {
    document.title = texts.common.documentTitle(title);
  }, [title]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signing.mutate();
  };
  const methods = useQuery({ ...read('getSignInMethods', {}), refetchInterval: false });
  const isWrongKey = signing.error instanceof ApiError && signing.error.status === 401;
  const error = signing.error ?? refusedLink;
  const shown = isWrongKey ? new Error(wrongKey) : error;
  return (
    <main className={styles.page}>
      <Paper p="xl" w="100%" maw={380}>
        <form onSubmit={submit}>
          <Stack>
            <img src={icon} alt={texts.common.product} width={36} height={36} />
            <Title order={1}>{title}</Title>
            <Text c="dimmed" size="sm">
              {help}
            </Text>
            {shown === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={shown} />}
            <PasswordInput
              label={apiKey}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': texts.common.signIn.show }}
              autoFocus
            />
            <Button type="submit" fullWidth loading={signing.isPending} disabled={key.trim() === ''}>
              {button}
            </Button>
            {methods.data?.openIdConnect === true ? (
              <Button component="a" variant="default" fullWidth href={openIdConnectAddress()}>
                {openIdConnect}
              </Button>
            ) : null}
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
