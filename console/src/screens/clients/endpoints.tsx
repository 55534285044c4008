import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../api/call';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { useMay } from '../../api/session';
import { Act } from '../../components/act';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorAlert } from '../../components/error-alert';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Age } from '../../components/time';
import { texts } from '../../texts';
import { clientEndpoints } from './queries';

type Endpoint = Answer<'listConnectorWebhooks'>['webhooks'][number];

const t = texts.clients.endpoints;
const { none } = texts.common;

function State({ of: { enabled, disabledReason } }: { readonly of: Endpoint }) {
  if (enabled) return <Badge tone="success">{t.enabled}</Badge>;
  return <Badge tone="warning">{disabledReason === 'gone' ? t.gone : t.disabled}</Badge>;
}

const COLUMNS: readonly Column<Endpoint>[] = [
  { name: t.columns.url, cell: ({ url }) => url },
  { name: t.columns.state, cell: (row) => <State of={row} /> },
  { name: t.columns.delivered, numeric: true, cell: ({ health }) => health.recent.delivered },
  { name: t.columns.failed, numeric: true, cell: ({ health }) => health.recent.failedAttempts },
  {
    name: t.columns.dead,
    numeric: true,
    cell: ({ health: { dead } }) => (dead === 0 ? 0 : <Badge tone="danger">{dead}</Badge>),
  },
  {
    name: t.columns.last,
    cell: ({ health: { lastDeliveredAt: at } }) => (at === null ? none : <Age at={at} />),
  },
  {
    name: t.columns.failure,
    cell: ({ health: { lastFailure: failure } }) =>
      failure === null ? (
        none
      ) : (
        <Text size="sm">
          {failure.status ?? failure.error}, <Age at={failure.at} />
        </Text>
      ),
  },
];

/** The addresses that a client is notified at, with how the latest deliveries went. */
export function Endpoints({ clientId }: { readonly clientId: string }) {
  const query = useQuery(clientEndpoints(clientId));
  const maySend = useMay('operator');
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: (webhookId: string) =>
      call(
        'testConnectorWebhook',
        { params: { connectorId: clientId, webhookId } },
        { idempotencyKey: newIdempotencyKey() },
      ),
    onSettled: () => queries.invalidateQueries(),
  });
  const acts: Column<Endpoint> = {
    name: t.columns.act,
    cell: ({ id, url, enabled, health }) =>
      enabled ? (
        <Group gap={6} wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t.testOf(url)}
            loading={test.isPending && test.variables === id}
            onClick={() => test.mutate(id)}
          >
            {t.test}
          </Button>
          {health.dead === 0 ? null : (
            <Act
              name={t.deadName}
              label={t.deadOf(url)}
              explanation={t.deadExplanation}
              button={t.deadButton}
              size="compact-xs"
              run={({ idempotencyKey }) =>
                call(
                  'redeliverDeadConnectorWebhookDeliveries',
                  { params: { connectorId: clientId, webhookId: id } },
                  { idempotencyKey },
                )
              }
            />
          )}
        </Group>
      ) : null,
  };
  return (
    <Section title={t.title}>
      {test.error === null ? null : <ErrorAlert title={texts.common.error.actionTitle} error={test.error} />}
      <Loaded query={query} lines={2}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title={t.empty} text={t.emptyText} />
          ) : (
            <DataTable
              label={t.title}
              columns={maySend ? [...COLUMNS, acts] : COLUMNS}
              rows={webhooks}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
