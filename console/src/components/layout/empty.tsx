import { Button, EmptyState, Paper, Text } from '@mantine/core';
import * as texts from '../../texts';

/** Says why a list is empty, and what would fill it. @param onClear clears the filters that leave nothing */
export function Empty(props: { readonly title: string; readonly text: string; readonly onClear?: () => void }) {
  const { title, text, onClear } = props;
  return (
    <Paper p="xl">
      <EmptyState title={title} description={text}>
        {onClear === undefined ? null : (
          <Button variant="default" onClick={onClear}>
            {texts.common.filters.clear}
          </Button>
        )}
      </EmptyState>
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
