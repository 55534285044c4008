import { Button, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError } from '../../api/call';
import { useSigning } from '../../api/session';
import icon from '../../app/icon.svg';
import { ErrorAlert } from '../../components/error-alert';
import { texts } from '../../texts';
import styles from './sign-in.module.css';

export function SignIn() {
  const { title, apiKey, button, help, wrongKey } = texts.common.signIn;
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
  const { error } = signing;
  const shown =
    error instanceof ApiError && error.status === 401 ? new ApiError(401, wrongKey, error.requestId) : error;
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
            {shown === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={shown} />}
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
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
