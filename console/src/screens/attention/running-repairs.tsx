import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries';
import * as texts from '../../texts';
import { REPAIRS } from '../../texts/order';

const t = texts.attention.bulk;
/** Repairs that are looked at. Several at the same time are rare. */
const LIMIT = 10;

/** The bulk repairs that are in progress, whoever started them. */
export function RunningRepairs() {
  const query = useQuery(read('listBulkRepairs', { query: { limit: LIMIT } }));
  const running = query.data?.bulkRepairs.filter(({ status }) => status !== 'ended') ?? [];
  return running.map(({ id, action, counts, requestedBy }) => (
    <Stack key={id} gap={4} role="status">
      <Group gap="sm">
        <Text size="sm" fw={500}>
          {t.button(REPAIRS[action].name, counts.total)}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.order.timeline.by(requestedBy.name)} · {t.counts(counts)}
        </Text>
      </Group>
      <Progress value={(100 * (counts.total - counts.left)) / counts.total} aria-label={t.progress} />
    </Stack>
  ));
}
