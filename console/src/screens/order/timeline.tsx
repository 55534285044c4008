import { Button, Code, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { EmptyLine } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { LoadMore } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Time } from '../../components/values/time';
import { texts } from '../../texts';
import type { Tone } from '../../texts/names';
import styles from './timeline.module.css';
import type { OperatorOrder } from './types';

type Entry = ApiResponse<'getOrderTimeline'>['entries'][number];
type Kind = Entry['kind'];

const t = texts.order.timeline;
const KINDS = Object.keys(t.kinds) as Kind[];
const TONES: Readonly<Record<Kind, Tone>> = {
  event: 'neutral',
  repair: 'warning',
  postback: 'info',
  request: 'info',
  checkpoint: 'progress',
  notification: 'success',
};

/** The fields of an entry's content that the list shows. */
const SHOWN: Readonly<Record<Kind, readonly string[]>> = {
  event: [],
  repair: ['reason', 'message'],
  postback: ['message', 'trackingCode'],
  request: ['outcome', 'status', 'response'],
  checkpoint: ['trackingNumber', 'message', 'location'],
  notification: ['state', 'url'],
};

/** Returns the message of a response in JSON, or the response itself. */
function messageIn(response: string): string {
  try {
    const { message } = JSON.parse(response) as { readonly message?: unknown };
    return typeof message === 'string' ? message : response;
  } catch {
    return response;
  }
}

/** Fields with a code, which is shown in words. */
const CODES: ReadonlySet<string> = new Set(['status', 'state', 'outcome']);

/** What the list shows: every entry of one kind, all entries, or (`story`) each thing that happened once. */
type Shown = Kind | 'all' | 'story';

/** The postbacks and scans that say the same as a change of status. */
const SAID_BY: Readonly<Record<string, string>> = {
  in_production: 'received',
  printed: 'printed',
  shipped: 'shipped',
  in_transit: 'in_transit',
  delivered: 'delivered',
  returned: 'returned',
};

/** Statuses that an event brings which says why. */
const STOPPED: ReadonlySet<string> = new Set(['manual_handling', 'on_hold', 'failed']);

/**
 * Returns the entries without those that repeat another one: the log's entries of what is sent, scanned or refused;
 * notifications, which follow from changes, unless one is dead; changes of status that a postback, a scan or another event has
 * brought; and scans that a carrier reports again.
 */
function storyOf(entries: readonly Entry[]): Entry[] {
  const said = new Set(
    entries.filter(({ kind }) => kind === 'postback' || kind === 'checkpoint').map(({ type }) => type),
  );
  const explained = new Set(
    entries.filter((entry) => entry.kind === 'event' && wordsOf(entry.data) !== '').map(({ at }) => at),
  );
  const seen = new Set<string>();
  return entries.filter(({ kind, type, at, data }) => {
    if (kind === 'notification') return data.state === 'dead';
    if (kind === 'request') return data.outcome !== 'refused';
    if (kind === 'event' && (type.startsWith('tracking_') || type === 'handed_over')) return false;
    if (kind !== 'checkpoint' && (kind !== 'event' || type !== 'status')) return true;
    const status = String(data.status);
    // The items of an order change at the same time.
    const name = kind === 'checkpoint' ? `${type} ${data.trackingNumber} ${data.message}` : `${status} ${at}`;
    const isSaid = kind === 'event' && (said.has(SAID_BY[status] ?? '') || (STOPPED.has(status) && explained.has(at)));
    if (isSaid || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** What happened to the order, newest first. */
export function Timeline({ order }: { readonly order: OperatorOrder }) {
  const { id: orderId, printOrders } = order;
  const partnerOf = (id: string | null) => printOrders.find((each) => each.id === id)?.partnerUid ?? null;
  const [shown, setShown] = useState<Shown>('story');
  const [withJson, setWithJson] = useState(false);
  const kind = shown === 'all' || shown === 'story' ? undefined : shown;
  const query = useInfiniteQuery(readPages('getOrderTimeline', { params: { orderId }, query: { kind } }));
  const filter = (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default">
          {t.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setShown('story')}>{t.story}</Menu.Item>
        <Menu.Item onClick={() => setShown('all')}>{t.all}</Menu.Item>
        {KINDS.map((each) => (
          <Menu.Item key={each} onClick={() => setShown(each)}>
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
          const all = pages.flatMap((page) => page.entries);
          const entries = shown === 'story' ? storyOf(all) : all;
          if (entries.length === 0) return <EmptyLine title={t.empty} text={t.emptyText} />;
          return (
            <ol className={styles.list}>
              {entries.map((entry) => (
                <li key={entry.id} className={styles.entry}>
                  <OneEntry entry={entry} partnerUid={partnerOf(entry.printOrderId)} withJson={withJson} />
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

/** Returns the words of an event: of a partner, of a host, or of the order run. */
function wordsOf({ message, reason, why }: Entry['data']): string {
  const words = message ?? reason ?? why;
  return typeof words === 'string' ? words : '';
}

/** Returns what an entry says beside its type, by the fields that its kind has. */
function detailOf({ kind, data }: Entry): string {
  if (kind === 'event') return wordsOf(data);
  return SHOWN[kind]
    .map((name) => {
      const value = data[name];
      if (typeof value === 'string' && CODES.has(name)) return texts.names.code(value);
      if (typeof value === 'string' && name === 'response') return messageIn(value);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    })
    .filter((text) => text !== '')
    .join(' · ');
}

function OneEntry(props: {
  readonly entry: Entry;
  /** Of the print order that the entry is about. */
  readonly partnerUid: string | null;
  readonly withJson: boolean;
}) {
  const { entry, partnerUid, withJson } = props;
  const { kind, type, at, by, data } = entry;
  const detail = detailOf(entry);
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Badge tone={TONES[kind]}>{t.entries[kind]}</Badge>
        <Text size="sm" fw={500}>
          {t.said[kind](
            type === 'status' ? t.status(texts.names.code(String(data.status))) : texts.names.code(type),
            kind === 'event' ? partnerUid : by,
          )}
        </Text>
        <Text size="xs" c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      {detail === '' ? null : <Text size="sm">{detail}</Text>}
      {withJson ? (
        <Code block tabIndex={0}>
          {JSON.stringify(entry, null, 2)}
        </Code>
      ) : null}
    </Stack>
  );
}
