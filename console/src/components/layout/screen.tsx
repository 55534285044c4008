import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import * as texts from '../../texts';

/** The zone of every time that the lists show. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The frame of a screen: its level-1 heading, the zone of its times, its buttons, its content. Sets the title of the document. */
export function Screen(props: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly intro?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { title, heading, intro, actions, children } = props;
  useEffect(() => {
    document.title = texts.common.documentTitle(title);
  }, [title]);
  // The link that opened the screen may be gone. Tab then goes on from the heading, and screen readers say it.
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement !== document.body) head.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack gap="lg" maw={1440} mx="auto">
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4}>
          <Title order={1} ref={head} tabIndex={-1}>
            {heading ?? title}
          </Title>
          {intro === undefined ? null : (
            <Text c="dimmed" size="sm">
              {intro}
            </Text>
          )}
        </Stack>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {texts.common.timeZone(ZONE)}
          </Text>
          {actions}
        </Group>
      </Group>
      {children}
    </Stack>
  );
}
