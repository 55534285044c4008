import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../api/call';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorAlert } from '../../components/error-alert';
import { LoadMore } from '../../components/load-more';
import { EmptySection, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import styles from './notifications.module.css';

type Delivery = Answer<'listOrderDeliveries'>['deliveries'][number];

const t = texts.order.notifications;

/** What the client was notified of, with each attempt. */
export function Notifications({ orderId }: { readonly orderId: string }) {
  const query = useInfiniteQuery(readPages('listOrderDeliveries', { params: { orderId } }));
  const mayRedeliver = useMay('operator');
  const queries = useQueryClient();
  const redeliver = useMutation({
    mutationFn: (deliveryId: string) => call('redeliverOrderDelivery', { params: { orderId, deliveryId } }),
    onSettled: () => queries.invalidateQueries(),
  });
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
      name: t.columns.act,
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
    <Section title={t.title}>
      {redeliver.error === null ? null : (
        <ErrorAlert title={texts.common.error.actionTitle} error={redeliver.error} />
      )}
      <Loaded query={query} lines={2}>
        {({ pages }) => {
          const rows = pages.flatMap(({ deliveries }) => deliveries);
          if (rows.length === 0) return <EmptySection title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={columns} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}

function Attempts({ attempts }: Pick<Delivery, 'attempts'>) {
  if (attempts.length === 0) return texts.common.none;
  return (
    <Stack gap={2}>
      {attempts.map(({ at, durationMs, status, error, response }) => (
        <Text key={at} size="xs">
          <Time at={at} /> · {t.attempt(status ?? error ?? texts.common.none, durationMs, response)}
        </Text>
      ))}
    </Stack>
  );
}
