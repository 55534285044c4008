import { Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { change } from '../../api/changes';
import { read, readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import type { ApiResponse } from '../../api/types';
import { DialogButton } from '../../components/forms/dialog-button';
import { FormDialog, type FormDialogContent } from '../../components/forms/form-dialog';
import { DescriptionList } from '../../components/layout/description-list';
import { QueryContent } from '../../components/layout/query-content';
import { Screen } from '../../components/layout/screen';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { ExportCsv } from '../../components/lists/export-csv';
import { PagedTable } from '../../components/lists/paged-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { type Channel, ChannelFields, ChannelState, channelOf } from './channel-fields';
import { DownloadErrors, FileCounts, ImportOrders } from './import-orders';
import { type Mapping, mapProduct, productOf } from './map-product';

type ChannelFile = ApiResponse<'listChannelFiles'>['files'][number];

const route = getRouteApi('/channels/$channelId');
const t = texts.channels;
const { none, actions } = texts.common;
const PAGE = 25;

export function ChannelScreen() {
  const { channelId } = route.useParams();
  const query = useQuery(read('getChannel', { params: { channelId } }));
  const mayChange = useMay('operator');
  return (
    <Screen
      title={query.data?.name ?? channelId}
      actions={
        <Group gap="sm">
          <ExportCsv
            operation="listChannelShipments"
            input={{ params: { channelId }, query: { format: 'csv' } }}
            label={t.shipments}
          />
          {query.data !== undefined && mayChange ? <Actions channel={query.data} /> : null}
        </Group>
      }
    >
      <QueryContent query={query}>
        {(channel) => (
          <>
            {mayChange ? <ImportOrders channel={channel} /> : null}
            <State channel={channel} />
            <Mappings channelId={channel.id} mayChange={mayChange} />
            <Files channelId={channel.id} />
          </>
        )}
      </QueryContent>
    </Screen>
  );
}

/** The buttons that change the settings of a channel, and pause it. */
function Actions({ channel }: { readonly channel: Channel }) {
  const params = { channelId: channel.id };
  const isActive = channel.state === 'active';
  return (
    <>
      <DialogButton
        {...(isActive ? t.pause : t.resume)}
        changeOf={() => change('changeChannel', { params, body: { state: isActive ? 'paused' : 'active' } })}
      />
      {channel.sftp === null ? null : (
        <DialogButton
          {...t.test}
          changeOf={() => change('testChannel', { params, body: {} })}
          result={({ message, hostKey }) => (
            <>
              <Text size="sm">{message}</Text>
              {hostKey === null || hostKey === channel.sftp?.hostKey ? null : (
                <Text size="sm">{t.newKey(hostKey)}</Text>
              )}
            </>
          )}
        />
      )}
      <DialogButton
        {...t.edit}
        dialogSize="xl"
        fields={<ChannelFields channel={channel} />}
        changeOf={({ form }) => change('changeChannel', { params, body: channelOf(form) })}
      />
    </>
  );
}

function State({ channel }: { readonly channel: Channel }) {
  const { clientId, kind, settings, sftp, waiting, lastRunAt, lastError, failures } = channel;
  return (
    <Section title={t.columns.state}>
      <DescriptionList
        entries={[
          [t.columns.state, <ChannelState key="state" of={channel} />],
          [t.columns.kind, t.kinds[kind]],
          [t.settings.preset, t.presets[settings.preset ?? 'pressline']],
          [
            t.columns.waiting,
            <Link key="waiting" to="/inbox" search={{ channelId: channel.id }}>
              {waiting}
            </Link>,
          ],
          [t.columns.last, lastRunAt === null ? t.never : <Age key="last" at={lastRunAt} />],
          [t.columns.error, lastError ?? none],
          [t.columns.failures, failures],
          ...(sftp === null ? [] : [[t.sftp.fields.host, sftp.host] as const]),
          [
            t.client,
            <Link key="client" to="/clients/$clientId" params={{ clientId }}>
              {t.open}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}

const nameOf = ({ sku, variantId }: Mapping) => sku ?? t.mappings.variant(variantId!);

const MAPPING_COLUMNS: readonly Column<Mapping>[] = [
  { name: t.mappings.columns.external, cell: nameOf },
  { name: t.mappings.columns.product, cell: productOf },
  { name: t.mappings.columns.files, cell: ({ files }) => Object.keys(files ?? {}).join(', ') || none },
  { name: t.mappings.columns.factor, numeric: true, cell: ({ quantityFactor }) => quantityFactor },
];

function Mappings({ channelId, mayChange }: { readonly channelId: string; readonly mayChange: boolean }) {
  const query = useInfiniteQuery(readPages('listChannelMappings', { params: { channelId }, query: { limit: PAGE } }));
  const [dialog, setDialog] = useState<FormDialogContent | null>(null);
  const buttons: Column<Mapping> = {
    name: actions,
    cell: (mapping) => (
      <Group gap={6} wrap="nowrap">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t.mappings.edit(nameOf(mapping))}
          onClick={() => {
            const { sku, variantId } = mapping;
            setDialog(mapProduct(channelId, sku === null ? { variantId: variantId! } : { sku }, mapping));
          }}
        >
          {t.mappings.editName}
        </Button>
        <DialogButton
          name={t.mappings.delete}
          label={t.mappings.deleteOf(nameOf(mapping))}
          explanation={t.mappings.deleteExplanation}
          button={t.mappings.deleteButton}
          destructive
          size="compact-xs"
          changeOf={() => change('deleteChannelMapping', { params: { channelId, mappingId: mapping.id } })}
        />
      </Group>
    ),
  };
  return (
    <Section title={t.mappings.title}>
      <PagedTable
        label={t.mappings.title}
        query={query}
        lines={2}
        rowsOf={({ mappings }) => mappings}
        columns={mayChange ? [...MAPPING_COLUMNS, buttons] : MAPPING_COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.mappings.empty, text: t.mappings.emptyText, asLine: true }}
      />
      <FormDialog content={dialog} onClose={() => setDialog(null)} />
    </Section>
  );
}

const FILE_COLUMNS: readonly Column<ChannelFile>[] = [
  { name: t.files.columns.name, cell: ({ name }) => name },
  {
    name: t.files.columns.state,
    cell: ({ state, dryRun }) => (
      <Group gap={6}>
        <Badge tone={state === 'refused' ? 'danger' : state === 'done' ? 'success' : 'info'}>
          {t.files.states[state]}
        </Badge>
        {dryRun ? <Text size="xs">{t.files.dryRun}</Text> : null}
      </Group>
    ),
  },
  { name: t.files.columns.counts, cell: (file) => <FileCounts of={file} /> },
  { name: t.files.columns.created, cell: ({ createdAt }) => <Age at={createdAt} /> },
  { name: actions, cell: (file) => <DownloadErrors of={file} /> },
];

function Files({ channelId }: { readonly channelId: string }) {
  const query = useInfiniteQuery(readPages('listChannelFiles', { params: { channelId }, query: { limit: PAGE } }));
  return (
    <Section title={t.files.title}>
      <PagedTable
        label={t.files.title}
        query={query}
        lines={2}
        rowsOf={({ files }) => files}
        columns={FILE_COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.files.empty, text: t.files.emptyText, asLine: true }}
      />
    </Section>
  );
}
