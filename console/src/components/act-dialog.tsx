import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { texts } from '../texts';
import { ErrorAlert } from './error-alert';

/** What a dialog says about an act, and how the act is carried out. */
export interface ActDescription {
  readonly title: string;
  readonly explanation: string;
  /** The button that carries the act out. */
  readonly button: string;
  /** True when the act has the required field "Reason". */
  readonly withReason?: boolean;
  /** Fields of the act, above the reason. */
  readonly fields?: ReactNode;
  /** Carries the act out. The key is the same for every try of one dialog, so that a second click has no second effect. */
  readonly run: (given: { readonly reason: string; readonly idempotencyKey: string }) => Promise<unknown>;
}

interface ActDialogProps<Description> {
  readonly act: Description;
  readonly onClose: () => void;
}

/** The dialog of an act. It is open while there is an act. What the act changed is read again before it closes. */
export function ActDialog({ act, onClose }: ActDialogProps<ActDescription | null>) {
  return (
    <Modal opened={act !== null} onClose={onClose} title={act?.title} withCloseButton={false}>
      {act === null ? null : <Act act={act} onClose={onClose} />}
    </Modal>
  );
}

function Act({ act, onClose }: ActDialogProps<ActDescription>) {
  const { explanation, button, withReason = false, fields, run } = act;
  const queries = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [reason, setReason] = useState('');
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsRunning(true);
    setError(null);
    try {
      await run({ reason: reason.trim(), idempotencyKey });
      await queries.invalidateQueries();
      onClose();
    } catch (failure) {
      setError(failure);
      setIsRunning(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{explanation}</Text>
        {fields}
        {withReason ? (
          <Textarea
            label={texts.common.reason}
            required
            data-autofocus
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        ) : null}
        {error === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.close}
          </Button>
          <Button type="submit" loading={isRunning} disabled={withReason && reason.trim() === ''}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
