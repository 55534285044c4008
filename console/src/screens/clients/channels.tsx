import { useInfiniteQuery } from '@tanstack/react-query';
import { change } from '../../api/changes';
import { readPages } from '../../api/queries';
import { useMay } from '../../api/session';
import { DialogButton } from '../../components/forms/dialog-button';
import { Section } from '../../components/layout/section';
import type { Column } from '../../components/lists/data-table';
import { PagedTable } from '../../components/lists/paged-table';
import { Link } from '../../components/values/link';
import { Age } from '../../components/values/time';
import * as texts from '../../texts';
import { type Channel, ChannelFields, ChannelState, channelOf } from '../channels/channel-fields';

const t = texts.channels;

const COLUMNS: readonly Column<Channel>[] = [
  {
    name: t.columns.name,
    cell: ({ id, name }) => (
      <Link to="/channels/$channelId" params={{ channelId: id }}>
        {name}
      </Link>
    ),
  },
  { name: t.columns.kind, cell: ({ kind }) => t.kinds[kind] },
  { name: t.columns.state, cell: (row) => <ChannelState of={row} /> },
  {
    name: t.columns.waiting,
    numeric: true,
    cell: ({ id, waiting }) => (
      <Link to="/inbox" search={{ channelId: id }}>
        {waiting}
      </Link>
    ),
  },
  { name: t.columns.last, cell: ({ lastRunAt }) => (lastRunAt === null ? t.never : <Age at={lastRunAt} />) },
  { name: t.columns.error, cell: ({ lastError }) => lastError ?? texts.common.none },
];

/** Where the orders of a client come from, besides the API. */
export function Channels({ clientId }: { readonly clientId: string }) {
  const query = useInfiniteQuery(readPages('listChannels', { query: { clientId } }));
  return (
    <Section
      title={t.title}
      actions={
        useMay('operator') ? (
          <DialogButton
            {...t.add}
            dialogSize="xl"
            fields={<ChannelFields channel={null} />}
            changeOf={({ form }) => {
              const channel = channelOf(form);
              const kind = channel.sftp === undefined ? 'csv' : 'sftp';
              return change('createChannel', { body: { kind, clientId, ...channel } });
            }}
          />
        ) : null
      }
    >
      <PagedTable
        label={t.title}
        query={query}
        lines={2}
        rowsOf={({ channels }) => channels}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={{ title: t.empty, text: t.emptyText, asLine: true }}
      />
    </Section>
  );
}
