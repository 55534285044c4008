import { Button, Code, Stack } from '@mantine/core';
import { useState } from 'react';

/** A button that shows a value as JSON. */
export function Json({ value, show, hide }: { readonly value: unknown; readonly show: string; readonly hide: string }) {
  const [open, setOpen] = useState(false);
  return (
    <Stack gap="xs" align="flex-start">
      <Button size="compact-xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? hide : show}
      </Button>
      {open ? (
        <Code block tabIndex={0} w="100%">
          {JSON.stringify(value, null, 2)}
        </Code>
      ) : null}
    </Stack>
  );
}
