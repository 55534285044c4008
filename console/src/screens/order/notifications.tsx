import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { change, useChange } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { ErrorAlert } from '../../components/layout/error-alert';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { PagedTable } from '../../components/lists/paged-table';
import { StatusBadge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import styles from './notifications.module.css';

type Delivery = ApiResponse<'listOrderDeliveries'>['deliveries'][number];

const t = texts.order.notifications;

/** What the client was notified of, with each attempt. */
export function Notifications({ orderId }: { readonly orderId: string }) {
  const query = useInfiniteQuery(readPages('listOrderDeliveries', { params: { orderId } }));
  const hasDead = query.data?.pages.some(({ deliveries }) => deliveries.some(({ state }) => state === 'dead')) === true;
  const mayRedeliver = useMay('operator');
  const redeliver = useChange((deliveryId: string) =>
    change('redeliverOrderDelivery', { params: { orderId, deliveryId } }),
  );
  const columns: Column<Delivery>[] = [
    { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      name: t.columns.event,
      cell: ({ event, endpoint }) => (
        <Stack gap={0}>
          {texts.names.code(event)}
          <Text size="xs" c="dimmed" className={styles.url!}>
            {endpoint.url}
          </Text>
        </Stack>
      ),
    },
    { name: t.columns.state, cell: ({ state }) => <StatusBadge status={state} /> },
    { name: t.columns.attempts, cell: ({ attempts }) => <Attempts attempts={attempts} /> },
  ];
  if (mayRedeliver) {
    columns.push({
      name: texts.common.actions,
      cell: ({ id, state }) =>
        state === 'pending' ? null : (
          <Button
            size="compact-xs"
            variant="default"
            loading={redeliver.isPending && redeliver.variables === id}
            onClick={() => redeliver.mutate(id)}
          >
            {t.redeliver}
          </Button>
        ),
    });
  }
  return (
    <Section title={t.title} folded={!hasDead}>
      {redeliver.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={redeliver.error} />}
      <PagedTable
        label={t.title}
        query={query}
        lines={2}
        rowsOf={({ deliveries }) => deliveries}
        columns={columns}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText, asLine: true }}
      />
    </Section>
  );
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  if (attempts.length === 0) return texts.common.none;
  return (
    <Stack gap={2}>
      {attempts.map(({ at, durationMs, status, error, response }) => (
        <Text key={at} size="xs">
          <Time at={at} /> · {t.attempt(status ?? error ?? texts.common.none, durationOfMs(durationMs), response)}
        </Text>
      ))}
    </Stack>
  );
}
