import { Group } from '@mantine/core';
import { ErrorAlert } from '../../components/layout/error-alert';
import { Badge } from '../../components/values/badge';
import { Json } from '../../components/values/json';
import * as texts from '../../texts';
import type { Relayed, useCommand } from './use-command';

/** How Pressline responded to the last command of a section. */
export function CommandResponse({ command }: { readonly command: ReturnType<typeof useCommand> }) {
  const { last, error } = command;
  return (
    <div role="status">
      {error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={error} />}
      {error !== null || last === undefined ? null : <RelayedResponse {...last} />}
    </div>
  );
}

/** How Pressline responded to a call of the sandbox. */
export function RelayedResponse(props: { readonly what: string; readonly response: Relayed }) {
  const { status, body } = props.response;
  return (
    <Group gap="sm" align="flex-start" mt="sm">
      <Badge tone={status < 300 ? 'success' : 'danger'}>{texts.sandbox.responded(props.what, status)}</Badge>
      <Json value={body} show={texts.order.timeline.showJson} hide={texts.order.timeline.hideJson} />
    </Group>
  );
}
