import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse, Input } from '../../api/types';
import { ClientLink } from '../../components/accounts/account-links';
import { FormDialog } from '../../components/forms/form-dialog';
import type { Column } from '../../components/lists/data-table';
import { type PagedResult, PagedTable } from '../../components/lists/paged-table';
import { SelectEverything, useSelection } from '../../components/lists/selection';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { OutboxSearch } from './outbox-search';

type Row = ApiResponse<'listOutboxMessages'>['messages'][number];

/** The messages of a replay: those that are selected, or every dead one that matches the filter. */
interface Replay {
  readonly request: Omit<NonNullable<Input<'replayDeadMessages'>['body']>, 'reason'>;
  /** Undefined when it is not known. */
  readonly count: number | undefined;
}

const t = texts.outbox;
/** The summary counts the messages of a kind up to this number. */
const MOST_COUNTED = 100_000;

const timeOf = (at: string | null) => (at === null ? texts.common.none : <Time at={at} />);

/** What a message is about, as links to the pages that show it. */
function Subject({ of }: { readonly of: Row }) {
  const { orderId, shippingOrderId, procurementOrderId, clientId, target } = of;
  if (shippingOrderId !== null)
    return (
      <Link to="/shipments" search={{ q: shippingOrderId }}>
        {t.shippingOrder(shippingOrderId)}
      </Link>
    );
  if (procurementOrderId !== null)
    return (
      <Link to="/stock" search={{ procurementOrder: procurementOrderId }}>
        {t.procurementOrder(procurementOrderId)}
      </Link>
    );
  if (orderId === null && clientId === null) return target;
  return (
    <Group gap="sm">
      {orderId === null ? null : (
        <Link to="/orders/$orderId" params={{ orderId }}>
          {t.order(orderId)}
        </Link>
      )}
      {clientId === null ? null : <ClientLink id={clientId} name={t.endpoint} />}
    </Group>
  );
}

const columnsOf = (state: Row['state']): readonly Column<Row>[] => [
  { name: t.columns.id, cell: ({ id }) => id },
  { name: t.columns.kind, cell: ({ kind }) => t.kinds[kind] },
  {
    name: t.columns.target,
    cell: (row) => <Subject of={row} />,
  },
  { name: t.columns.error, cell: ({ lastError }) => lastError ?? texts.common.none },
  { name: t.columns.attempts, numeric: true, cell: ({ attempts }) => attempts },
  { name: t.columns.created, cell: ({ createdAt }) => timeOf(createdAt) },
  state === 'dead'
    ? { name: t.columns.dead, cell: ({ deadAt }) => timeOf(deadAt) }
    : { name: t.columns.next, cell: ({ nextAttemptAt }) => timeOf(nextAttemptAt) },
];

type Filter = Pick<OutboxSearch, 'kind' | 'target'>;

/** Returns the number of dead messages that match. Undefined when it is not known: messages are not counted by target. */
function useDead({ kind, target }: Filter): number | undefined {
  const { data } = useQuery(read('getOperatorSummary', {}));
  if (data === undefined || target !== undefined) return undefined;
  const counts = data.outbox.filter((each) => kind === undefined || each.kind === kind);
  // A longer list is not counted to its end.
  if (counts.some(({ dead }) => dead >= MOST_COUNTED)) return undefined;
  return counts.reduce((sum, { dead }) => sum + dead, 0);
}

/** The messages in a state. Dead ones can be selected and replayed. */
export function Messages(props: {
  readonly state: Row['state'];
  readonly filter: Filter;
  readonly query: PagedResult<ApiResponse<'listOutboxMessages'>>;
}) {
  const { state, filter, query } = props;
  const rows = query.data?.pages.flatMap(({ messages }) => messages) ?? [];
  const mayReplay = useMay('operator') && state === 'dead';
  const [replayed, setReplayed] = useState<Replay | null>(null);
  const dead = useDead(filter);
  const selection = useSelection(
    rows,
    JSON.stringify([state, filter.kind, filter.target]),
    ({ id }) => id,
    ({ id }) => t.name(id),
  );
  const { selected, isEverything, column, clear } = selection;
  const replay: Replay = isEverything
    ? { request: filter, count: dead }
    : { request: { ids: selected.map(({ id }) => id) }, count: selected.length };
  const columns = columnsOf(state);
  return (
    <>
      {mayReplay ? (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={selected.length === 0} onClick={() => setReplayed(replay)}>
            {t.replay}
          </Button>
          <Text size="sm" c="dimmed">
            {t.selected(replay.count)}
          </Text>
        </Group>
      ) : null}
      {mayReplay ? (
        <SelectEverything selection={selection} hasMore={query.hasNextPage} name={t.messages} total={dead} />
      ) : null}
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ messages }) => messages}
        columns={mayReplay ? [column, ...columns] : columns}
        keyOf={({ id }) => id}
        empty={{ title: t.empty[state], text: t.emptyText[state] }}
      />
      <FormDialog
        content={
          replayed && {
            title: t.replay,
            explanation: t.replayExplanation,
            button: t.replayButton(replayed.count),
            withReason: true,
            changeOf: ({ reason }) => change('replayDeadMessages', { body: { ...replayed.request, reason } }),
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
