import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages } from '../../api/queries';
import { Badge } from '../../components/badge';
import { Json } from '../../components/json';
import { Empty } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';
import type { Tone } from '../../texts/names';
import type { OperatorOrder } from './order-screen';
import { useCheckpoints } from './parcels';
import styles from './timeline.module.css';

const t = texts.order.timeline;

type Kind = keyof typeof t.kinds;
const KINDS = Object.keys(t.kinds) as Kind[];
const TONES: Readonly<Record<Kind, Tone>> = {
  event: 'neutral',
  postback: 'info',
  checkpoint: 'progress',
  notification: 'success',
  repair: 'warning',
};

interface Entry {
  readonly key: string;
  readonly kind: Kind;
  readonly at: string;
  readonly title: string;
  readonly text?: string;
  readonly value: unknown;
}

/** Returns the entries of the order's event log. Repairs carry the operator's name and reason. */
function eventsOf({ events }: OperatorOrder): Entry[] {
  return events.map((event, index) => {
    const { by, reason } = event.data as { by?: unknown; reason?: unknown };
    const isRepair = typeof by === 'string';
    return {
      key: `event ${index}`,
      kind: isRepair ? 'repair' : 'event',
      at: event.at,
      title: texts.names.code(event.type),
      ...(isRepair ? { text: [t.by(by), reason].filter((part) => typeof part === 'string').join(': ') } : {}),
      value: event,
    };
  });
}

function postbacksOf({ printOrders }: OperatorOrder): Entry[] {
  return printOrders.flatMap(({ partnerUid, postbacks }) =>
    postbacks.map((postback) => ({
      key: `postback ${postback.id}`,
      kind: 'postback' as const,
      at: postback.receivedAt,
      title: t.postback(partnerUid, texts.names.status(postback.status).text),
      ...(postback.message === null ? {} : { text: postback.message }),
      value: postback,
    })),
  );
}

/** Everything that happened to the order, newest first. */
export function Timeline({ order }: { readonly order: OperatorOrder }) {
  const [kind, setKind] = useState<Kind | null>(null);
  const trackings = useCheckpoints(order);
  const deliveries = useInfiniteQuery(readPages('listOrderDeliveries', { params: { orderId: order.id } }));
  const entries: Entry[] = [
    ...eventsOf(order),
    ...postbacksOf(order),
    ...trackings.flatMap(({ trackingNumber, checkpoints }) =>
      checkpoints.map((checkpoint, index) => ({
        key: `checkpoint ${trackingNumber} ${index}`,
        kind: 'checkpoint' as const,
        at: checkpoint.createdAt,
        title: texts.names.status(checkpoint.statusUid).text,
        text: [trackingNumber, checkpoint.message].join(' · '),
        value: checkpoint,
      })),
    ),
    ...(deliveries.data?.pages ?? []).flatMap((page) =>
      page.deliveries.map((delivery) => ({
        key: `notification ${delivery.id}`,
        kind: 'notification' as const,
        at: delivery.createdAt,
        title: t.notification(texts.names.code(delivery.event), texts.names.status(delivery.state).text),
        text: delivery.endpoint.url,
        value: delivery,
      })),
    ),
  ];
  const shown = entries
    .filter((entry) => kind === null || entry.kind === kind)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const filter = (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default">
          {t.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setKind(null)}>{t.all}</Menu.Item>
        {KINDS.map((each) => (
          <Menu.Item key={each} onClick={() => setKind(each)}>
            {t.kinds[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <Section title={t.title} actions={filter}>
      {shown.length === 0 ? <Empty title={t.empty} text={t.emptyText} /> : null}
      <ol className={styles.list}>
        {shown.map((entry) => (
          <li key={entry.key} className={styles.entry}>
            <Stack gap={4}>
              <Group gap="sm">
                <Badge tone={TONES[entry.kind]}>{t.kinds[entry.kind]}</Badge>
                <Text size="sm" fw={500}>
                  {entry.title}
                </Text>
                <Text size="xs" c="dimmed">
                  <Time at={entry.at} />
                </Text>
              </Group>
              {entry.text === undefined ? null : <Text size="sm">{entry.text}</Text>}
              <Json value={entry.value} show={t.showJson} hide={t.hideJson} />
            </Stack>
          </li>
        ))}
      </ol>
    </Section>
  );
}
