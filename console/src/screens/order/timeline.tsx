import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { EmptyLine } from '../../components/layout/empty';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { LoadMore } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Json } from '../../components/values/json';
import { Time } from '../../components/values/time';
import { texts } from '../../texts';
import type { Tone } from '../../texts/names';
import styles from './timeline.module.css';

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
  event: ['status', 'reason', 'message'],
  repair: ['reason'],
  postback: ['message', 'trackingCode'],
  request: ['outcome', 'status', 'response'],
  checkpoint: ['trackingNumber', 'message', 'location'],
  notification: ['state', 'url'],
};

/** Fields with a code, which is shown in words. */
const CODES: ReadonlySet<string> = new Set(['status', 'state', 'outcome']);

/** Everything that happened to the order, newest first. */
export function Timeline({ orderId }: { readonly orderId: string }) {
  const [kind, setKind] = useState<Kind>();
  const query = useInfiniteQuery(readPages('getOrderTimeline', { params: { orderId }, query: { kind } }));
  const filter = (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default">
          {t.filter}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setKind(undefined)}>{t.all}</Menu.Item>
        {KINDS.map((each) => (
          <Menu.Item key={each} onClick={() => setKind(each)}>
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
          {filter}
        </Group>
      }
    >
      <QueryContent query={query}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <EmptyLine title={t.empty} text={t.emptyText} />;
          return (
            <ol className={styles.list}>
              {entries.map((entry) => (
                <li key={entry.id} className={styles.entry}>
                  <OneEntry entry={entry} />
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

/** Returns what an entry says beside its type, by the fields that its kind has. */
function detailOf({ kind, data }: Entry): string {
  return SHOWN[kind]
    .map((name) => {
      const value = data[name];
      if (typeof value === 'string' && CODES.has(name)) return texts.names.code(value);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    })
    .filter((text) => text !== '')
    .join(' · ');
}

function OneEntry({ entry }: { readonly entry: Entry }) {
  const { kind, type, at, by } = entry;
  const detail = detailOf(entry);
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Badge tone={TONES[kind]}>{t.entries[kind]}</Badge>
        <Text size="sm" fw={500}>
          {texts.names.code(type)}
        </Text>
        {by === null ? null : <Text size="sm">{t.by(by)}</Text>}
        <Text size="xs" c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      {detail === '' ? null : <Text size="sm">{detail}</Text>}
      <Json value={entry} show={t.showJson} hide={t.hideJson} />
    </Stack>
  );
}
