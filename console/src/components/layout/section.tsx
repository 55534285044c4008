import { Group, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

/** A region of a screen, named by its level-2 heading. */
export function Section(props: { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} p="md">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} id={id}>
            {props.title}
          </Title>
          {props.actions}
        </Group>
        {props.children}
      </Stack>
    </Paper>
  );
}
