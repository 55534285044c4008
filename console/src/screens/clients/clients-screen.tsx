import { Group, Skeleton, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../api/call';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { Act } from '../../components/act';
import { Badge } from '../../components/badge';
import { type Column, DataTable } from '../../components/data-table';
import { ExportCsv } from '../../components/export-csv';
import { textOf } from '../../components/form-fields';
import { Link } from '../../components/link';
import { LoadMore } from '../../components/load-more';
import { Empty, Loaded } from '../../components/loaded';
import { Screen } from '../../components/screen';
import { Secrets } from '../../components/secret';
import { Age, Time } from '../../components/time';
import { texts } from '../../texts';
import { type Client, clientHealth, type Health } from './queries';

const t = texts.clients;
const { none } = texts.common;
/** Clients of a page. The figures of each are read by a request. */
const PAGE = 25;

/** A figure of a client, which is read on its own. */
function Figure({ of: row, show }: { readonly of: Client; readonly show: (health: Health) => ReactNode }) {
  const { data, error } = useQuery(clientHealth(row.id));
  if (data !== undefined) return show(data);
  return error === null ? <Skeleton height={14} width={48} /> : none;
}

const COLUMNS: readonly Column<Client>[] = [
  {
    name: t.columns.client,
    cell: ({ id, name }) => (
      <Link to="/clients/$clientId" params={{ clientId: id }}>
        {name}
      </Link>
    ),
  },
  { name: t.columns.channel, cell: ({ channel }) => channel ?? t.settings.channelDefault },
  {
    name: t.columns.keys,
    numeric: true,
    cell: ({ keys }) =>
      keys.filter(
        ({ revokedAt, expiresAt }) =>
          revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now()),
      ).length,
  },
  {
    name: t.columns.orders,
    numeric: true,
    cell: (row) => <Figure of={row} show={({ orders }) => orders} />,
  },
  {
    name: t.columns.attention,
    numeric: true,
    cell: (row) => (
      <Figure
        of={row}
        show={({ needAttention: count }) => (count === 0 ? 0 : <Badge tone="warning">{count}</Badge>)}
      />
    ),
  },
  {
    name: t.columns.newest,
    cell: (row) => (
      <Figure of={row} show={({ newestAt }) => (newestAt === null ? none : <Age at={newestAt} />)} />
    ),
  },
  { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function ClientsScreen() {
  const query = useInfiniteQuery(readPages('listConnectors', { query: { limit: PAGE } }));
  const mayAdd = useMay('admin');
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={
        <Group gap="sm">
          <ExportCsv operation="listConnectors" input={{ query: { format: 'csv' } }} />
          {mayAdd ? <AddClient /> : null}
        </Group>
      }
    >
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ connectors }) => connectors);
          if (rows.length === 0) return <Empty title={t.empty} text={t.emptyText} />;
          return <DataTable label={t.title} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
        }}
      </Loaded>
      <LoadMore {...query} />
    </Screen>
  );
}

function AddClient() {
  return (
    <Act
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      fields={<TextInput name="name" label={t.add.label} required maxLength={100} data-autofocus />}
      run={({ form, idempotencyKey }) =>
        call('createConnector', { body: { name: textOf(form, 'name') ?? '' } }, { idempotencyKey })
      }
      result={({ apiKey, apiSecret }) => (
        <Secrets
          secrets={[
            [texts.keys.key, apiKey],
            [texts.keys.secret, apiSecret],
          ]}
        />
      )}
    />
  );
}
