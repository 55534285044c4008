import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { change, useChange } from '../../api/changes';
import { read } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { Secrets } from '../../components/accounts/secrets';
import { DialogButton } from '../../components/forms/dialog-button';
import { ErrorAlert } from '../../components/layout/error-alert';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { onePage, PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import styles from './deliveries.module.css';
import { EndpointFields, endpointOf } from './endpoint-fields';
import { clientEndpoints } from './queries';

type Endpoint = ApiResponse<'listClientWebhooks'>['webhooks'][number];

const t = texts.clients.endpoints;
const { addEndpoint: add } = texts.clients;
const { none } = texts.common;

function State({ of: { enabled, disabledReason, health } }: { readonly of: Endpoint }) {
  const { recent, lastDeliveredAt, lastFailure } = health;
  if (enabled && recent.delivered === 0 && recent.failedAttempts > 0) return <Badge tone="danger">{t.failing}</Badge>;
  if (enabled && lastFailure !== null && Date.parse(lastFailure.at) > Date.parse(lastDeliveredAt ?? '1970-01-01'))
    return <Badge tone="warning">{t.lastFailed}</Badge>;
  if (enabled) return <Badge tone="success">{t.enabled}</Badge>;
  return <Badge tone="warning">{disabledReason === 'gone' ? t.gone : t.disabled}</Badge>;
}

const COLUMNS: readonly Column<Endpoint>[] = [
  { name: t.columns.url, cell: ({ url }) => <div className={styles.url}>{url}</div> },
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

/** What came of a test event, in words. It is read until the endpoint has responded. */
function TestResult(props: { readonly clientId: string; readonly webhookId: string; readonly deliveryId: string }) {
  const { clientId: connectorId, webhookId, deliveryId } = props;
  const { data } = useQuery({
    ...read('getClientWebhookDelivery', { params: { connectorId, webhookId, deliveryId } }),
    refetchInterval: ({ state }) => (state.data?.attempts.length === 0 ? 1_000 : false),
  });
  const attempt = data?.attempts.at(-1);
  const isDelivered = data?.state === 'delivered';
  return (
    <Alert role="status" color={attempt === undefined ? 'gray' : isDelivered ? 'green' : 'red'}>
      {attempt === undefined
        ? t.testSent
        : (isDelivered ? t.testDelivered : t.testFailed)(
            String(attempt.status ?? attempt.error),
            durationOfMs(attempt.durationMs),
          )}
    </Alert>
  );
}

/** The addresses that a client is notified at, with how the latest deliveries went. */
export function Endpoints({ clientId }: { readonly clientId: string }) {
  const query = useQuery(clientEndpoints(clientId));
  const maySend = useMay('operator');
  const mayAdd = useMay('admin');
  const test = useChange((webhookId: string) =>
    change('testClientWebhook', { params: { connectorId: clientId, webhookId } }),
  );
  const buttons: Column<Endpoint> = {
    name: texts.common.actions,
    cell: ({ id, url, enabled, health }) => {
      const { name, explanation, button } = enabled ? t.disable : t.enable;
      const switchButton = (
        <DialogButton
          name={name}
          label={t.switchOf(name, url)}
          explanation={explanation}
          button={button}
          size="compact-xs"
          changeOf={() =>
            change('changeClientWebhook', {
              params: { connectorId: clientId, webhookId: id },
              body: { enabled: !enabled },
            })
          }
        />
      );
      return enabled ? (
        <Group gap={6}>
          {switchButton}
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
            <DialogButton
              name={t.deadName}
              label={t.deadOf(url)}
              explanation={t.deadExplanation}
              button={t.deadButton}
              size="compact-xs"
              changeOf={() =>
                change('redeliverDeadClientWebhookDeliveries', {
                  params: { connectorId: clientId, webhookId: id },
                })
              }
            />
          )}
        </Group>
      ) : (
        switchButton
      );
    },
  };
  return (
    <Section
      title={t.title}
      actions={
        mayAdd ? (
          <DialogButton
            name={add.button}
            explanation={t.addExplanation}
            button={add.button}
            dialogSize="lg"
            fields={<EndpointFields />}
            changeOf={({ form }) =>
              change('createClientWebhook', { params: { connectorId: clientId }, body: endpointOf(form) })
            }
            keepsResult
            result={({ secret }) => <Secrets secrets={[[add.secret, secret]]} />}
          />
        ) : null
      }
    >
      {test.data === undefined ? null : (
        <TestResult key={test.data.id} clientId={clientId} webhookId={test.variables} deliveryId={test.data.id} />
      )}
      {test.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={test.error} />}
      <PagedTable
        label={t.title}
        query={onePage(query)}
        lines={2}
        rowsOf={({ webhooks }) => webhooks}
        columns={maySend ? [...COLUMNS, buttons] : COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Section>
  );
}
