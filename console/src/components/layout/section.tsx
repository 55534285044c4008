import { Group, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { FoldButton } from './fold';

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
              <FoldButton isOpen={isOpen} onClick={() => setChosen(!isOpen)}>
                {title}
              </FoldButton>
            )}
          </Title>
          {isOpen ? actions : null}
        </Group>
        {isOpen ? children : null}
      </Stack>
    </Paper>
  );
}
