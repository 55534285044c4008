import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { texts } from '../texts';
import { ErrorAlert } from './error-alert';

interface ActProps<Result> {
  /** The text of the button that opens the dialog, and the title of the dialog. */
  readonly name: string;
  /** Names the button to a screen reader where several have the same text. */
  readonly label?: string;
  /** What the act does, in words. */
  readonly explanation: string;
  /** The text of the button that carries the act out. */
  readonly button: string;
  /** Calls the API. The fields of the dialog are in the form. An error is shown in the dialog. */
  readonly act: (form: FormData, idempotencyKey: string) => Promise<Result>;
  /** Shows the result in the dialog. Without it, the dialog closes. */
  readonly result?: (result: Result) => ReactNode;
  readonly fields?: ReactNode;
  readonly variant?: NonNullable<ButtonProps['variant']>;
  readonly size?: NonNullable<ButtonProps['size']>;
  readonly dialogSize?: 'md' | 'lg' | 'xl';
}

/** A button that opens a dialog, in which an act is explained and carried out. */
export function Act<Result>(props: ActProps<Result>) {
  const { name, label, variant = 'default', size = 'xs', dialogSize = 'md' } = props;
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <>
      <Button variant={variant} size={size} aria-label={label} onClick={() => setOpened(true)}>
        {name}
      </Button>
      <Modal opened={opened} onClose={close} title={name} withCloseButton={false} size={dialogSize}>
        <ActForm {...props} onClose={close} />
      </Modal>
    </>
  );
}

function ActForm<Result>(props: ActProps<Result> & { readonly onClose: () => void }) {
  const { explanation, button, act, result, fields, onClose } = props;
  const queries = useQueryClient();
  // One key for the dialog: a second click has no second effect.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const mutation = useMutation({
    mutationFn: (form: FormData) => act(form, idempotencyKey),
    onSuccess: async () => {
      if (result === undefined) onClose();
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
        {mutation.error === null ? null : (
          <ErrorAlert title={texts.common.error.actionTitle} error={mutation.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.close}
          </Button>
          <Button type="submit" loading={mutation.isPending}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns the trimmed text of a field. Empty: null. */
export function textOf(form: FormData, name: string): string | null {
  const text = String(form.get(name) ?? '').trim();
  return text === '' ? null : text;
}

/** Returns the value of a field that holds JSON. Empty: null. @throws Error with the name of the field */
export function jsonOf(form: FormData, name: string, label: string): unknown {
  const text = textOf(form, name);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${label}: ${(error as Error).message}`);
  }
}
