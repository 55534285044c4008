import { EmptyState, Paper, Text } from '@mantine/core';

/** Says why a list is empty, and what would fill it. */
export function Empty({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Paper p="xl">
      <EmptyState title={title} description={text} />
    </Paper>
  );
}

/** Says the same in one line, within a section. */
export function EmptyLine({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {title}. {text}
    </Text>
  );
}
