import { Stack, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** Details of a section, which a button with their summary unfolds. */
export function Fold({ summary, children }: { readonly summary: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap="xs">
      <UnstyledButton fz="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
        {summary}
      </UnstyledButton>
      {isOpen ? children : null}
    </Stack>
  );
}
