import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type Change, useChange } from '../../api/changes';
import { newIdempotencyKey } from '../../api/idempotency-key';
import * as texts from '../../texts';
import { FaultedFields, LongTextField } from './field-faults';

/** What the operator has filled in. */
export interface Submission {
  readonly form: FormData;
  /** Trimmed. Empty when the form has no field "Reason". */
  readonly reason: string;
}

export interface DialogFormProps<Result> {
  /** What the change does, in words. */
  readonly explanation: string;
  /** The text of the button that makes the change. */
  readonly button: string;
  /** Returns the change that the form makes. An error is shown in the dialog. */
  readonly changeOf: (submission: Submission) => Change<Result> | readonly Change<Result>[];
  /** True when the form has the required field "Reason". */
  readonly withReason?: boolean;
  /** True: the button is red, because what the change ends cannot be brought back. */
  readonly destructive?: boolean;
  /** Why the change cannot be made now. The button is disabled. Null: it can. */
  readonly blocked?: string | null;
  /** Fields above the reason. */
  readonly fields?: ReactNode;
  /** Shows the result in the dialog. Without it, the dialog closes. */
  readonly result?: (result: Result) => ReactNode;
}

/** The content of a dialog that explains a change and makes it, however often it is tried, once. */
export function DialogForm<Result>(
  props: DialogFormProps<Result> & {
    readonly onClose: () => void;
    /** Follows the change instead of `onClose`. */
    readonly onDone?: (result: Result) => void;
    /** Follows the change when its result is shown. */
    readonly onResult?: () => void;
  },
) {
  const {
    explanation,
    button,
    changeOf,
    withReason = false,
    destructive = false,
    blocked = null,
    fields,
    result,
    onClose,
    onDone = onClose,
    onResult,
  } = props;
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [reason, setReason] = useState('');
  const change = useChange(changeOf, idempotencyKey);
  const why = blocked ?? (withReason && reason.trim() === '' ? texts.common.needsReason : null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(
      { form: new FormData(event.currentTarget), reason: reason.trim() },
      { onSuccess: result === undefined ? onDone : () => onResult?.() },
    );
  };
  if (result !== undefined && change.data !== undefined) {
    return (
      <Stack>
        <div role="status">{result(change.data)}</div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {texts.common.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (!change.isPending && why === null) event.currentTarget.requestSubmit();
      }}
    >
      <Stack>
        <Text size="sm">{explanation}</Text>
        <FaultedFields error={change.error}>
          {fields}
          {withReason ? (
            <LongTextField
              name="reason"
              label={texts.common.reason}
              required
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          ) : null}
        </FaultedFields>
        {blocked === null ? null : (
          <Text size="sm" c="dimmed" role="status">
            {blocked}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.close}
          </Button>
          <Button
            type="submit"
            loading={change.isPending}
            disabled={why !== null}
            title={why ?? undefined}
            {...(destructive ? { color: 'red' } : {})}
          >
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
