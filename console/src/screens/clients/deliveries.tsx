import { Button, Group, NativeSelect } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type Answer, call } from '../../api/call';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { StatusBadge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ErrorAlert } from '../../components/error-alert';
import { ExportCsv } from '../../components/export-csv';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Section } from '../../components/section';
import { Age, Time } from '../../components/time';
import { texts } from '../../texts';
import styles from './deliveries.module.css';
import { DELIVERY_STATES, type DeliveryState } from './delivery-states';
import { clientEndpoints } from './queries';
import type { ClientSearch } from './route';

type Delivery = Answer<'listConnectorWebhookDeliveries'>['deliveries'][number];

const route = getRouteApi('/clients/$clientId');
const t = texts.clients.deliveries;

/** What a client was notified of at one endpoint, with each attempt. */
export function Deliveries({ clientId }: { readonly clientId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: ClientSearch) =>
    navigate({ search: { ...search, ...changed }, resetScroll: false });
  const { data } = useQuery(clientEndpoints(clientId));
  const endpoints = data?.webhooks ?? [];
  const endpoint = endpoints.find(({ id }) => id === search.endpoint) ?? endpoints[0];
  return (
    <Section
      title={t.title}
      actions={
        <Group gap="sm">
          {endpoints.length < 2 ? null : (
            <NativeSelect
              aria-label={t.endpoint}
              value={endpoint?.id ?? ''}
              onChange={(event) => change({ endpoint: event.currentTarget.value })}
              data={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
            />
          )}
          <NativeSelect
            aria-label={t.state}
            value={search.state ?? ''}
            onChange={(event) => change({ state: (event.currentTarget.value || undefined) as DeliveryState })}
            data={[
              { value: '', label: t.all },
              ...DELIVERY_STATES.map((value) => ({ value, label: texts.names.status(value).text })),
            ]}
          />
          {endpoint === undefined ? null : (
            <ExportCsv
              operation="listConnectorWebhookDeliveries"
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
        <Rows clientId={clientId} webhookId={endpoint.id} state={search.state} />
      )}
    </Section>
  );
}

function Attempts({ of: { attempts } }: { readonly of: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return t.noAttempt;
  return (
    <details>
      <summary className={styles.summary}>
        {t.attempts(attempts.length, String(last.status ?? last.error))}
      </summary>
      <ol className={styles.attempts}>
        {attempts.map(({ at, status, error, durationMs, response }) => (
          <li key={at}>
            <Time at={at} /> · {status ?? error} · {t.ms(durationMs)}
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
}) {
  const { clientId, webhookId, state } = props;
  const params = { connectorId: clientId, webhookId };
  const query = useInfiniteQuery(
    readPages('listConnectorWebhookDeliveries', {
      params,
      query: { limit: 20, ...(state === undefined ? {} : { state }) },
    }),
  );
  const mayRedeliver = useMay('operator');
  const queries = useQueryClient();
  const redeliver = useMutation({
    mutationFn: (deliveryId: string) =>
      call(
        'redeliverConnectorWebhookDelivery',
        { params: { ...params, deliveryId } },
        { idempotencyKey: newIdempotencyKey() },
      ),
    onSettled: () => queries.invalidateQueries(),
  });
  const act: Column<Delivery> = {
    name: t.columns.act,
    cell: ({ id, event, state: settled }) =>
      settled === 'pending' ? null : (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.redeliverOf(texts.names.code(event))}
          loading={redeliver.isPending && redeliver.variables === id}
          onClick={() => redeliver.mutate(id)}
        >
          {t.redeliver}
        </Button>
      ),
  };
  return (
    <>
      {redeliver.error === null ? null : (
        <ErrorAlert title={texts.common.error.actionTitle} error={redeliver.error} />
      )}
      <Loaded query={query} lines={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ deliveries }) => deliveries);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return (
            <DataTable
              label={t.title}
              columns={mayRedeliver ? [...COLUMNS, act] : COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
            />
          );
        }}
      </Loaded>
      <LoadMore {...query} />
    </>
  );
}
