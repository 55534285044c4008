import { Button, Group } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { change, useChange } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { optionsOf, Select } from '../../components/forms/select';
import { Empty } from '../../components/layout/empty';
import { ErrorAlert } from '../../components/layout/error-alert';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { StatusBadge } from '../../components/values/badge';
import { durationOfMs } from '../../components/values/duration';
import { Link } from '../../components/values/link';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';
import { DELIVERY_STATES, type DeliveryState } from '../../texts/names';
import type { ClientSearch } from './clients-search';
import styles from './deliveries.module.css';
import { clientEndpoints } from './queries';

type Delivery = ApiResponse<'listClientWebhookDeliveries'>['deliveries'][number];

const route = getRouteApi('/clients/$clientId');
const t = texts.clients.deliveries;

/** What a client was notified of at one endpoint, with each attempt. */
export function Deliveries({ clientId }: { readonly clientId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = (changed: ClientSearch) => navigate({ search: { ...search, ...changed }, resetScroll: false });
  const { data } = useQuery(clientEndpoints(clientId));
  const endpoints = data?.webhooks ?? [];
  const endpoint = endpoints.find(({ id }) => id === search.endpoint) ?? endpoints[0];
  return (
    <Section
      title={t.title}
      actions={
        <Group gap="sm">
          {endpoints.length < 2 ? null : (
            <Select
              aria-label={t.endpoint}
              value={endpoint?.id ?? ''}
              onChange={(id) => filter({ endpoint: id })}
              options={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
            />
          )}
          <Select
            aria-label={t.state}
            none={t.all}
            value={search.state}
            onChange={(state) => filter({ state })}
            options={optionsOf(DELIVERY_STATES)}
          />
          {endpoint === undefined ? null : (
            <ExportCsv
              operation="listClientWebhookDeliveries"
              input={{
                params: { connectorId: clientId, webhookId: endpoint.id },
                query: { ...(search.state === undefined ? {} : { state: search.state }), format: 'csv' },
              }}
            />
          )}
        </Group>
      }
    >
      {endpoint === undefined ? (
        <Empty title={t.empty} text={t.emptyText} />
      ) : (
        <Rows clientId={clientId} webhookId={endpoint.id} state={search.state} isEnabled={endpoint.enabled} />
      )}
    </Section>
  );
}

function Attempts({ of: { attempts } }: { readonly of: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return t.noAttempt;
  return (
    <details>
      <summary className={styles.summary}>{t.attempts(attempts.length, String(last.status ?? last.error))}</summary>
      <ol className={styles.attempts}>
        {attempts.map(({ at, status, error, durationMs, response }) => (
          <li key={at}>
            <Time at={at} /> · {status ?? error} · {durationOfMs(durationMs)}
            {response === null || response === '' ? null : ` · ${response}`}
          </li>
        ))}
      </ol>
    </details>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: t.columns.event, cell: ({ event }) => texts.names.code(event) },
  {
    name: t.columns.order,
    cell: ({ orderId }) =>
      orderId === null ? (
        texts.common.none
      ) : (
        <Link to="/orders/$orderId" params={{ orderId }}>
          {t.open}
        </Link>
      ),
  },
  {
    name: t.columns.state,
    cell: ({ state, nextAttemptAt: next }) => (
      <Group gap={6} wrap="nowrap">
        <StatusBadge status={state} />
        {next === null ? null : (
          <span>
            {t.next} <Age at={next} />
          </span>
        )}
      </Group>
    ),
  },
  { name: t.columns.attempts, cell: (row) => <Attempts of={row} /> },
];

function Rows(props: {
  readonly clientId: string;
  readonly webhookId: string;
  readonly state: DeliveryState | undefined;
  /** Nothing can be sent to an endpoint that is disabled. */
  readonly isEnabled: boolean;
}) {
  const { clientId, webhookId, state, isEnabled } = props;
  const params = { connectorId: clientId, webhookId };
  const query = useInfiniteQuery(
    readPages('listClientWebhookDeliveries', {
      params,
      query: { limit: 20, ...(state === undefined ? {} : { state }) },
    }),
  );
  const mayRedeliver = useMay('operator');
  const redeliver = useChange((deliveryId: string) =>
    change('redeliverClientWebhookDelivery', { params: { ...params, deliveryId } }),
  );
  const buttons: Column<Delivery> = {
    name: texts.common.actions,
    cell: ({ id, event, state: settled }) =>
      isEnabled ? (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={(settled === 'pending' ? t.sendNowOf : t.redeliverOf)(texts.names.code(event))}
          loading={redeliver.isPending && redeliver.variables === id}
          onClick={() => redeliver.mutate(id)}
        >
          {settled === 'pending' ? t.sendNow : t.redeliver}
        </Button>
      ) : null,
  };
  return (
    <>
      {redeliver.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={redeliver.error} />}
      <PagedTable
        label={t.title}
        query={query}
        lines={3}
        rowsOf={({ deliveries }) => deliveries}
        columns={mayRedeliver ? [...COLUMNS, buttons] : COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </>
  );
}
