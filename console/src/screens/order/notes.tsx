import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/call';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { ErrorAlert } from '../../components/error-alert';
import { LoadMore } from '../../components/load-more';
import { EmptySection, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { texts } from '../../texts';

const t = texts.order.notes;

/** What operators wrote about the order. Clients and partners do not see it. */
export function Notes({ orderId }: { readonly orderId: string }) {
  const query = useInfiniteQuery(readPages('listOrderNotes', { params: { orderId } }));
  const mayWrite = useMay('operator');
  return (
    <Section title={t.title}>
      {mayWrite ? <NewNote orderId={orderId} /> : null}
      <Loaded query={query} lines={1}>
        {({ pages }) => {
          const notes = pages.flatMap((page) => page.notes);
          if (notes.length === 0) return <EmptySection title={t.empty} text={t.emptyText} />;
          return notes.map(({ id, author, text, createdAt }) => (
            <Stack key={id} gap={2}>
              <Text size="xs" c="dimmed">
                {author.name} · <Time at={createdAt} />
              </Text>
              <Text size="sm">{text}</Text>
            </Stack>
          ));
        }}
      </Loaded>
      <LoadMore {...query} />
    </Section>
  );
}

function NewNote({ orderId }: { readonly orderId: string }) {
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [idempotencyKey, setIdempotencyKey] = useState(newIdempotencyKey);
  const add = useMutation({
    mutationFn: () =>
      call('addOrderNote', { params: { orderId }, body: { text: text.trim() } }, { idempotencyKey }),
    onSuccess: async () => {
      setText('');
      setIdempotencyKey(newIdempotencyKey());
      await queries.invalidateQueries({ queryKey: ['listOrderNotes'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {add.error === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={add.error} />}
        <Textarea
          label={t.field}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={2}
        />
        <Group>
          <Button
            type="submit"
            variant="default"
            size="xs"
            loading={add.isPending}
            disabled={text.trim() === ''}
          >
            {t.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
