import { Group } from '@mantine/core';
import { Badge } from '../../components/badge';
import { ErrorAlert } from '../../components/error-alert';
import { Json } from '../../components/json';
import { texts } from '../../texts';
import type { useCommand } from './use-command';

/** How Pressline answered the last command of a section. */
export function CommandAnswer({ command }: { readonly command: ReturnType<typeof useCommand> }) {
  const { answer, error } = command;
  return (
    <div role="status">
      {error === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={error} />}
      {error !== null || answer === undefined ? null : (
        <Group gap="sm" align="flex-start" mt="sm">
          <Badge tone={answer.accepted ? 'success' : 'danger'}>{answer.text}</Badge>
          <Json
            value={answer.body}
            show={texts.order.timeline.showJson}
            hide={texts.order.timeline.hideJson}
          />
        </Group>
      )}
    </div>
  );
}
