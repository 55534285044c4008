import { Button, Group, Modal, Progress, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, type Input } from '../../api/call';
import { texts } from '../../texts';
import { ACTS } from '../../texts/order';
import styles from './bulk-acts.module.css';

type Action = Input<'repairOrder'>['body']['action'];

/** The acts on whole orders. Reroute and reproduce need an item, and are on the page of an order. */
const BULK_ACTS = ['retry', 'release', 'hold', 'cancel', 'dismiss'] as const satisfies readonly Action[];
/** Orders that are repaired at the same time. */
const CONCURRENT = 4;

interface Selected {
  readonly id: string;
  readonly orderReferenceId: string;
}

const t = texts.attention;

/** Buttons that act on all selected orders, with one reason. */
export function BulkActs({
  selected,
  onDone,
}: {
  readonly selected: readonly Selected[];
  readonly onDone: () => void;
}) {
  const [action, setAction] = useState<(typeof BULK_ACTS)[number] | null>(null);
  return (
    <Group gap="xs">
      {BULK_ACTS.map((each) => (
        <Button
          key={each}
          size="xs"
          variant="default"
          disabled={selected.length === 0}
          onClick={() => setAction(each)}
        >
          {ACTS[each]!.name}
        </Button>
      ))}
      <Text size="sm" c="dimmed">
        {t.selected(selected.length)}
      </Text>
      <Modal
        opened={action !== null}
        onClose={() => setAction(null)}
        title={action === null ? '' : ACTS[action]!.name}
        withCloseButton={false}
      >
        {action === null ? null : (
          <BulkAct
            action={action}
            // The list may lose repaired orders while the dialog is open.
            selected={selected}
            onClose={() => {
              setAction(null);
              onDone();
            }}
          />
        )}
      </Modal>
    </Group>
  );
}

interface Progressed {
  readonly done: number;
  readonly refused: readonly { readonly reference: string; readonly message: string }[];
}

function BulkAct(props: {
  readonly action: (typeof BULK_ACTS)[number];
  readonly selected: readonly Selected[];
  readonly onClose: () => void;
}) {
  const { action, onClose } = props;
  const queries = useQueryClient();
  const [orders] = useState(props.selected);
  const [run] = useState(() => crypto.randomUUID());
  const [reason, setReason] = useState('');
  const [progress, setProgress] = useState<Progressed | null>(null);
  const isRunning = progress !== null && progress.done < orders.length;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const waiting = [...orders];
    let state: Progressed = { done: 0, refused: [] };
    setProgress(state);
    const work = async () => {
      for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
        const { id, orderReferenceId: reference } = order;
        const refusal = await call(
          'repairOrder',
          { params: { orderId: id }, body: { action, reason: reason.trim() } },
          { idempotencyKey: `${run}-${id}` },
        ).then(
          () => [],
          (error: Error) => [{ reference, message: error.message }],
        );
        state = { done: state.done + 1, refused: [...state.refused, ...refusal] };
        setProgress(state);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, work));
    await queries.invalidateQueries();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{ACTS[action]!.explanation}</Text>
        <Text size="sm" fw={500}>
          {t.selected(orders.length)}
        </Text>
        <Textarea
          label={texts.order.reason}
          required
          data-autofocus
          maxLength={500}
          value={reason}
          disabled={progress !== null}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {progress === null ? null : (
          <Stack gap="xs" role="status">
            <Progress value={(100 * progress.done) / orders.length} aria-label={t.progress} />
            <Text size="sm">
              {t.repaired(progress.done - progress.refused.length, progress.refused.length)}
            </Text>
            {progress.refused.length === 0 ? null : (
              <ul className={styles.refused}>
                {progress.refused.map(({ reference, message }) => (
                  <li key={reference}>
                    {reference}: {message}
                  </li>
                ))}
              </ul>
            )}
          </Stack>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            {texts.common.close}
          </Button>
          <Button type="submit" loading={isRunning} disabled={reason.trim() === '' || progress !== null}>
            {t.button(ACTS[action]!.name, orders.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
