import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, call } from '../../api/call';
import { useMay } from '../../api/session';
import { ActDialog } from '../../components/act-dialog';
import { type Column, DataTable } from '../../components/data-table';
import { Link } from '../../components/link';
import { Empty } from '../../components/loaded';
import { useSelection } from '../../components/selection';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import type { MessageState } from './search';

type Row = Answer<'listOutboxMessages'>['messages'][number];

const t = texts.outbox;

const timeOf = (at: string | null) => (at === null ? texts.common.none : <Time at={at} />);

const columnsOf = (state: MessageState): readonly Column<Row>[] => [
  { name: t.columns.id, cell: ({ id }) => id },
  { name: t.columns.kind, cell: ({ kind }) => t.kinds[kind] },
  {
    name: t.columns.target,
    cell: ({ orderId, target }) =>
      orderId === null ? (
        target
      ) : (
        <Link to="/orders/$orderId" params={{ orderId }}>
          {t.order(orderId)}
        </Link>
      ),
  },
  { name: t.columns.error, cell: ({ lastError }) => lastError ?? texts.common.none },
  { name: t.columns.attempts, numeric: true, cell: ({ attempts }) => attempts },
  { name: t.columns.created, cell: ({ createdAt }) => timeOf(createdAt) },
  state === 'dead'
    ? { name: t.columns.dead, cell: ({ deadAt }) => timeOf(deadAt) }
    : { name: t.columns.next, cell: ({ nextAttemptAt }) => timeOf(nextAttemptAt) },
];

/** The messages in a state. Dead ones can be selected and replayed. */
export function Messages({ state, rows }: { readonly state: MessageState; readonly rows: readonly Row[] }) {
  const mayReplay = useMay('operator') && state === 'dead';
  const [replayed, setReplayed] = useState<readonly Row[] | null>(null);
  const { selected, column, clear } = useSelection(
    rows,
    ({ id }) => id,
    ({ id }) => t.name(id),
  );
  const columns = columnsOf(state);
  return (
    <>
      {mayReplay ? (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={selected.length === 0}
            onClick={() => setReplayed(selected)}
          >
            {t.replay}
          </Button>
          <Text size="sm" c="dimmed">
            {t.selected(selected.length)}
          </Text>
        </Group>
      ) : null}
      {rows.length === 0 ? (
        <Empty title={t.empty[state]} text={t.emptyText[state]} />
      ) : (
        <DataTable
          label={t.title}
          columns={mayReplay ? [column, ...columns] : columns}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
      <ActDialog
        act={
          replayed && {
            title: t.replay,
            explanation: t.replayExplanation,
            button: t.replayButton(replayed.length),
            withReason: true,
            run: ({ reason, idempotencyKey }) =>
              call(
                'replayDeadMessages',
                { body: { ids: replayed.map(({ id }) => id), reason } },
                { idempotencyKey },
              ),
          }
        }
        onClose={() => {
          setReplayed(null);
          clear();
        }}
      />
    </>
  );
}
