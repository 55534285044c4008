import { Group, Skeleton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { DialogButton } from '../../components/forms/dialog-button';
import { TextField } from '../../components/forms/field-faults';
import { textOf } from '../../components/forms/form-values';
import { Screen } from '../../components/layout/screen';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age, Time } from '../../components/values/time';
import * as texts from '../../texts';
import { AddedClient } from './added-client';
import { ClientFields, settingsOf } from './client-fields';
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
        ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now()),
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
      <Figure of={row} show={({ needAttention: count }) => (count === 0 ? 0 : <Badge tone="warning">{count}</Badge>)} />
    ),
  },
  {
    name: t.columns.newest,
    cell: (row) => <Figure of={row} show={({ newestAt }) => (newestAt === null ? none : <Age at={newestAt} />)} />,
  },
  { name: t.columns.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function ClientsScreen() {
  const query = useInfiniteQuery(readPages('listClients', { query: { limit: PAGE } }));
  const mayAdd = useMay('admin');
  return (
    <Screen
      title={t.title}
      intro={t.intro}
      actions={
        <Group gap="sm">
          <ExportCsv operation="listClients" input={{ query: { format: 'csv' } }} />
          {mayAdd ? <AddClient /> : null}
        </Group>
      }
    >
      <PagedTable
        label={t.title}
        query={query}
        rowsOf={({ connectors }) => connectors}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText }}
      />
    </Screen>
  );
}

function AddClient() {
  return (
    <DialogButton
      name={t.add.name}
      explanation={t.add.explanation}
      button={t.add.button}
      dialogSize="xl"
      fields={
        <>
          <TextField name="name" label={t.add.label} required maxLength={100} data-autofocus />
          <ClientFields client={null} />
        </>
      }
      changeOf={({ form }) =>
        change('createClient', { body: { name: textOf(form, 'name') ?? '', ...settingsOf(form) } })
      }
      keepsResult
      result={(client) => <AddedClient {...client} />}
    />
  );
}
