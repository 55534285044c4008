import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change, useChange } from '../../api/changes';
import { read } from '../../api/queries';
import * as texts from '../../texts';
import { ErrorAlert } from '../layout/error-alert';
import { QueryContent } from '../layout/query-content';
import type { SelectedOrder } from './bulk-repair-request';
import { NotRepaired } from './not-repaired';

const t = texts.attention.bulk;
const REFRESH_MS = 1_000;

/** How far a bulk repair has come. It continues when the dialog is closed. */
export function BulkRepairProgress(props: {
  readonly bulkRepairId: string;
  readonly orders: readonly SelectedOrder[];
  readonly onClose: () => void;
}) {
  const { bulkRepairId, orders, onClose } = props;
  const params = { bulkRepairId };
  const query = useQuery({
    ...read('getBulkRepair', { params }),
    refetchInterval: ({ state }) => (state.data?.status === 'ended' ? false : REFRESH_MS),
  });
  const stop = useChange(() => change('cancelBulkRepair', { params }));
  const hasEnded = query.data?.status === 'ended';
  return (
    <Stack>
      <QueryContent query={query} lines={2}>
        {({ counts, status, notRepaired }) => (
          <Stack gap="xs" role="status">
            <Progress value={(100 * (counts.total - counts.left)) / counts.total} aria-label={t.progress} />
            <Text size="sm" fw={500}>
              {t.statuses[status]}
            </Text>
            <Text size="sm">{t.counts(counts)}</Text>
            <NotRepaired reasons={notRepaired} orders={orders} />
          </Stack>
        )}
      </QueryContent>
      {stop.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={stop.error} />}
      {hasEnded ? null : (
        <Text size="xs" c="dimmed">
          {t.background}
        </Text>
      )}
      <Group justify="flex-end">
        {hasEnded ? null : (
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            {t.stop}
          </Button>
        )}
        <Button data-autofocus onClick={onClose}>
          {texts.common.close}
        </Button>
      </Group>
    </Stack>
  );
}
