import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { change, useChange } from '../../api/changes';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { EmptyLine } from '../../components/layout/empty';
import { ErrorAlert } from '../../components/layout/error-alert';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { LoadMore } from '../../components/lists/paged-table';
import { Time } from '../../components/values/time';
import * as texts from '../../texts';

const t = texts.order.notes;

/** What operators wrote about the order. Clients and partners do not see it. */
export function Notes({ orderId }: { readonly orderId: string }) {
  const query = useInfiniteQuery(readPages('listOrderNotes', { params: { orderId } }));
  const mayWrite = useMay('operator');
  return (
    <Section title={t.title}>
      {mayWrite ? <NewNote orderId={orderId} /> : null}
      <QueryContent query={query} lines={1}>
        {({ pages }) => {
          const notes = pages.flatMap((page) => page.notes);
          if (notes.length === 0) return <EmptyLine title={t.empty} text={t.emptyText} />;
          return notes.map(({ id, author, text, createdAt }) => (
            <Stack key={id} gap={2}>
              <Text size="xs" c="dimmed">
                {author.name} · <Time at={createdAt} />
              </Text>
              <Text size="sm">{text}</Text>
            </Stack>
          ));
        }}
      </QueryContent>
      <LoadMore {...query} />
    </Section>
  );
}

function NewNote({ orderId }: { readonly orderId: string }) {
  const [text, setText] = useState('');
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey);
  const add = useChange(
    (note: string) => change('addOrderNote', { params: { orderId }, body: { text: note } }),
    idempotencyKey,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(text.trim(), {
      onSuccess: () => {
        setText('');
        setIdempotencyKey(newIdempotencyKey());
      },
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {add.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={add.error} />}
        <Textarea
          label={t.field}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={2}
        />
        <Group>
          <Button type="submit" variant="default" size="xs" loading={add.isPending} disabled={text.trim() === ''}>
            {t.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
