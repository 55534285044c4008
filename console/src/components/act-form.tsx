import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { newIdempotencyKey } from '../api/idempotency-key';
import { texts } from '../texts';
import { ErrorAlert } from './error-alert';

/** What the form of an act gives to the call that carries it out. */
export interface Given {
  /** The fields of the act. */
  readonly form: FormData;
  /** Trimmed. Empty when the act takes none. */
  readonly reason: string;
  /** The same for every try of one dialog, so that a second click has no second effect. */
  readonly idempotencyKey: string;
}

export interface ActFormProps<Result> {
  /** What the act does, in words. */
  readonly explanation: string;
  /** The text of the button that carries the act out. */
  readonly button: string;
  /** Calls the API. An error is shown in the dialog. */
  readonly run: (given: Given) => Promise<Result>;
  /** True when the act has the required field "Reason". */
  readonly withReason?: boolean;
  /** Fields of the act, above the reason. */
  readonly fields?: ReactNode;
  /** Shows the result in the dialog. Without it, the dialog closes. */
  readonly result?: (result: Result) => ReactNode;
}

/** The content of the dialog of an act. What the act changed is read again. */
export function ActForm<Result>(
  props: ActFormProps<Result> & {
    readonly onClose: () => void;
    /** Follows the act instead of `onClose`. */
    readonly onDone?: (result: Result) => void;
  },
) {
  const { explanation, button, run, withReason = false, fields, result, onClose, onDone = onClose } = props;
  const queries = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [reason, setReason] = useState('');
  const mutation = useMutation({
    mutationFn: (form: FormData) => run({ form, reason: reason.trim(), idempotencyKey }),
    onSuccess: async (answer) => {
      if (result === undefined) onDone(answer);
      await queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutation.mutate(new FormData(event.currentTarget));
  };
  if (result !== undefined && mutation.data !== undefined) {
    return (
      <Stack>
        <div role="status">{result(mutation.data)}</div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.common.close}
          </Button>
        </Group>
      </Stack>
    );
  }
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
        {mutation.error === null ? null : (
          <ErrorAlert title={texts.common.error.actionTitle} error={mutation.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.close}
          </Button>
          <Button type="submit" loading={mutation.isPending} disabled={withReason && reason.trim() === ''}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
