import { Button, Code, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { detailOf, sentenceOf, storyOf, type TimelineEntry, type TimelineKind } from '../../../../client/order-story';
import { readPages } from '../../api/queries';
import { EmptyLine } from '../../components/layout/empty';
import {
  NotificationIcon,
  OrdersIcon,
  OutboxIcon,
  PrinterIcon,
  TeamIcon,
  TruckIcon,
} from '../../components/layout/icons';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { LoadMore } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import tones from '../../components/values/badge.module.css';
import { Link } from '../../components/values/link';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';
import type { Tone } from '../../texts/names';
import styles from './timeline.module.css';
import type { OperatorOrder } from './types';

const route = getRouteApi('/orders/$orderId');
const t = texts.order.timeline;
const KINDS = Object.keys(t.kinds) as TimelineKind[];
const TONES: Readonly<Record<TimelineKind, Tone>> = {
  event: 'neutral',
  repair: 'warning',
  postback: 'info',
  request: 'info',
  checkpoint: 'progress',
  notification: 'success',
};

const ICONS = {
  event: OrdersIcon,
  repair: TeamIcon,
  postback: PrinterIcon,
  request: OutboxIcon,
  checkpoint: TruckIcon,
  notification: NotificationIcon,
} as const satisfies Record<TimelineKind, unknown>;

/** What happened to the order, newest first: each thing once, or what the address selects. */
export function Timeline({ order }: { readonly order: OperatorOrder }) {
  const { id: orderId, printOrders } = order;
  const partnerOf = (id: string | null) => printOrders.find((each) => each.id === id)?.partnerUid ?? null;
  const { timeline: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (timeline: typeof shown) => navigate({ search: { timeline }, resetScroll: false });
  const [withJson, setWithJson] = useState(false);
  const kind = shown === 'all' ? undefined : shown;
  const query = useInfiniteQuery(readPages('getOrderTimeline', { params: { orderId }, query: { kind } }));
  const filter = (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default">
          {t.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => show(undefined)}>{t.story}</Menu.Item>
        <Menu.Item onClick={() => show('all')}>{t.all}</Menu.Item>
        {KINDS.map((each) => (
          <Menu.Item key={each} onClick={() => show(each)}>
            {t.kinds[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <Section
      title={t.title}
      actions={
        <Group gap="sm">
          {kind === undefined ? null : <Badge tone={TONES[kind]}>{t.kinds[kind]}</Badge>}
          <Button size="xs" variant="default" aria-pressed={withJson} onClick={() => setWithJson(!withJson)}>
            {withJson ? t.hideJson : t.showJson}
          </Button>
          {filter}
        </Group>
      }
    >
      <QueryContent query={query}>
        {({ pages }) => {
          const read = pages.map((page) => page.entries);
          const entries = shown === undefined ? storyOf(read) : read.flat();
          if (entries.length === 0) return <EmptyLine title={t.empty} text={t.emptyText} />;
          return (
            <ol className={styles.list}>
              {entries.map((entry) => (
                <li key={entry.id} className={styles.entry}>
                  <OneEntry {...{ entry, orderId, withJson }} partnerUid={partnerOf(entry.printOrderId)} />
                </li>
              ))}
            </ol>
          );
        }}
      </QueryContent>
      <LoadMore {...query} />
    </Section>
  );
}

function OneEntry(props: {
  readonly entry: TimelineEntry;
  readonly orderId: string;
  /** Of the print order that the entry is about. */
  readonly partnerUid: string | null;
  readonly withJson: boolean;
}) {
  const { entry, orderId, partnerUid, withJson } = props;
  const { kind, at, data } = entry;
  const detail = detailOf(entry);
  const Icon = ICONS[kind];
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <span className={`${styles.icon} ${tones[TONES[kind]]}`} role="img" aria-label={t.entries[kind]}>
        <Icon size={16} aria-hidden="true" />
      </span>
      <Stack gap={2} className={styles.text!}>
        <Text size="sm" fw={500}>
          {sentenceOf(entry, partnerUid)}
        </Text>
        {detail === '' ? null : <Text size="sm">{detail}</Text>}
        {typeof data.orderId === 'string' && data.orderId !== orderId ? (
          <Link to="/orders/$orderId" params={{ orderId: data.orderId }}>
            {t.otherOrder}
          </Link>
        ) : null}
        <Text size="xs" c="dimmed">
          <Time at={at} />
        </Text>
        {withJson ? (
          <Code block tabIndex={0}>
            {JSON.stringify(entry, null, 2)}
          </Code>
        ) : null}
      </Stack>
    </Group>
  );
}
