import { Button, Checkbox, Fieldset, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { change, useChange } from '../../api/changes';
import { newIdempotencyKey } from '../../api/idempotency-key';
import type { ApiResponse } from '../../api/types';
import { Secrets } from '../../components/accounts/secrets';
import { FaultedFields, TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { optionsOf } from '../../components/forms/select';
import { texts } from '../../texts';

const t = texts.clients.addEndpoint;
const EVENTS = optionsOf(texts.clients.events);

/** The secrets of a new client, with the form of its endpoint. An endpoint that is refused leaves the secrets in view. */
export function AddedClient({ id, apiKey, apiSecret }: ApiResponse<'createClient'>) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const endpoint = useChange(
    (form: FormData) =>
      change('createClientWebhook', {
        params: { connectorId: id },
        body: {
          url: textOf(form, 'url') ?? '',
          description: textOf(form, 'description'),
          events: EVENTS.flatMap(({ value }) => (form.getAll('events').includes(value) ? [value] : [])),
        },
      }),
    idempotencyKey,
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    endpoint.mutate(new FormData(event.currentTarget));
  };
  return (
    <Stack>
      <Secrets
        secrets={[
          [texts.keys.key, apiKey],
          [texts.keys.secret, apiSecret],
          ...(endpoint.data === undefined ? [] : [[t.secret, endpoint.data.secret] as const]),
        ]}
      />
      {endpoint.data === undefined ? (
        <form onSubmit={submit}>
          <Fieldset legend={t.title}>
            <FaultedFields error={endpoint.error}>
              <TextField name="url" label={t.url} placeholder="https://" required />
              <TextField name="description" label={t.description} maxLength={200} />
              <Checkbox.Group label={t.events} defaultValue={EVENTS.map(({ value }) => value)}>
                <Group gap="sm">
                  {EVENTS.map(({ value, label }) => (
                    <Checkbox key={value} name="events" value={value} label={label} />
                  ))}
                </Group>
              </Checkbox.Group>
            </FaultedFields>
            <Group justify="flex-end" mt="sm">
              <Button type="submit" loading={endpoint.isPending}>
                {t.button}
              </Button>
            </Group>
          </Fieldset>
        </form>
      ) : null}
    </Stack>
  );
}
