import { Box, Stack, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** The button that shows and hides what is below it. It looks like the text around it. */
export function FoldButton(props: {
  readonly isOpen: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  const { isOpen, onClick, children } = props;
  return (
    <UnstyledButton fz="inherit" fw="inherit" aria-expanded={isOpen} onClick={onClick}>
      <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
      {children}
    </UnstyledButton>
  );
}

/** Details of a section, which a button with their summary unfolds. */
export function Fold({ summary, children }: { readonly summary: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap="xs">
      <Box fz="sm">
        <FoldButton isOpen={isOpen} onClick={() => setOpen(!isOpen)}>
          {summary}
        </FoldButton>
      </Box>
      {isOpen ? children : null}
    </Stack>
  );
}
