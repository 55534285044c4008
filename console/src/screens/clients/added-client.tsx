import { Button, Fieldset, Group, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { change, useChange } from '../../api/changes';
import { newIdempotencyKey } from '../../api/idempotency-key';
import type { ApiResponse } from '../../api/types';
import { Secrets } from '../../components/accounts/secrets';
import { FaultedFields } from '../../components/forms/field-faults';
import * as texts from '../../texts';
import { EndpointFields, endpointOf } from './endpoint-fields';

const t = texts.clients.addEndpoint;

/** The secrets of a new client, with the form of its endpoint. An endpoint that is refused leaves the secrets in view. */
export function AddedClient({ id, apiKey, apiSecret }: ApiResponse<'createClient'>) {
  const [idempotencyKey] = useState(newIdempotencyKey);
  const endpoint = useChange(
    (form: FormData) => change('createClientWebhook', { params: { connectorId: id }, body: endpointOf(form) }),
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
              <EndpointFields />
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
