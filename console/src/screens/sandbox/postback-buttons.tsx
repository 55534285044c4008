import { Button, Group } from '@mantine/core';
import { change } from '../../api/changes';
import * as texts from '../../texts';
import type { useCommand } from './use-command';

const t = texts.sandbox.postbacks;

/** What a partner sends about a print order: the postbacks, and the dispatch request between them, in the order of production. */
const STEPS = ['received', 'printed', 'dispatch', 'shipped', 'error', 'cancelled'] as const;

/** Buttons that send what a partner sends about a print order. */
export function PostbackButtons(props: {
  readonly partnerName: string;
  readonly printOrderId: string;
  readonly command: ReturnType<typeof useCommand>;
}) {
  const { partnerName, printOrderId, command } = props;
  const changeOf = (step: (typeof STEPS)[number]) => {
    const params = { partnerName };
    if (step === 'dispatch') return change('requestSandboxDispatch', { params, body: { printOrderId } });
    // An error needs a message.
    const message = step === 'error' ? { message: t.errorMessage } : {};
    return change('sendSandboxPostback', { params, body: { printOrderId, status: step, ...message } });
  };
  return (
    <Group gap={4}>
      {STEPS.map((step) => {
        const what = t.label(t.steps[step], printOrderId);
        return (
          <Button
            key={step}
            size="compact-xs"
            variant="default"
            aria-label={what}
            loading={command.isSending(what)}
            onClick={() => command.send({ what, change: changeOf(step) })}
          >
            {t.steps[step]}
          </Button>
        );
      })}
    </Group>
  );
}
