import { Group, Paper, Stack, Title, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';

interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** True shows only the heading, a button that unfolds the section. False unfolds it. Undefined: it cannot be folded. */
  readonly folded?: boolean;
  readonly children: ReactNode;
}

/** A region of a screen, named by its level-2 heading. */
export function Section({ title, actions, folded, children }: SectionProps) {
  const id = useId();
  const [chosen, setChosen] = useState<boolean>();
  // A section that opens by itself stays open when its reason has passed.
  if (folded === false && chosen === undefined) setChosen(true);
  const isOpen = chosen ?? folded !== true;
  return (
    <Paper component="section" aria-labelledby={id} p="md">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} id={id}>
            {folded === undefined ? (
              title
            ) : (
              <UnstyledButton fz="inherit" fw="inherit" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
                <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
                {title}
              </UnstyledButton>
            )}
          </Title>
          {isOpen ? actions : null}
        </Group>
        {isOpen ? children : null}
      </Stack>
    </Paper>
  );
}
