import { Button, FileInput, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { change, useChange } from '../../api/changes';
import { read } from '../../api/queries';
import type { ApiResponse } from '../../api/types';
import { ErrorAlert } from '../../components/layout/error-alert';
import { QueryContent } from '../../components/layout/query-content';
import { Section } from '../../components/layout/section';
import { DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import { Link } from '../../components/values/link';
import * as texts from '../../texts';
import type { Channel } from './channel-fields';
import { Findings } from './findings';

type Row = ApiResponse<'listChannelFileRows'>['rows'][number];
type ChannelFile = Omit<ApiResponse<'getChannelFile'>, 'findings'>;

const t = texts.channels.import;
const REFRESH_MS = 1_000;
/** Rows that a response has at most. */
const MOST_ROWS = 100;

/** Imports a file of orders: first a check that stores nothing, then the import. */
export function ImportOrders({ channel: { id: channelId, state } }: { readonly channel: Channel }) {
  const [file, setFile] = useState<File | null>(null);
  const upload = useChange(({ of, dryRun }: { readonly of: File; readonly dryRun: boolean }) =>
    change('uploadChannelFile', {
      params: { channelId },
      query: { name: of.name, dryRun: dryRun ? 'true' : 'false' },
      // The bytes as they are: the API finds out their encoding. The generated type knows texts only.
      body: new Blob([of], { type: 'text/csv' }) as unknown as string,
    }),
  );
  const check = (chosen: File | null | undefined) => {
    if (chosen == null) return;
    setFile(chosen);
    upload.mutate({ of: chosen, dryRun: true });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    check(event.dataTransfer.files[0]);
  };
  if (state === 'paused')
    return (
      <Section title={t.title}>
        <Text size="sm">{t.paused}</Text>
      </Section>
    );
  return (
    <Section title={t.title}>
      <Stack onDragOver={(event) => event.preventDefault()} onDrop={drop}>
        <FileInput
          label={t.drop}
          description={t.hint}
          placeholder={t.placeholder}
          accept=".csv,.txt,.tsv,text/csv"
          value={file}
          onChange={check}
          clearable={false}
        />
        {upload.isPending ? <Progress value={100} animated aria-label={t.progress} /> : null}
        {upload.error === null ? null : <ErrorAlert title={texts.common.error.changeTitle} error={upload.error} />}
        {upload.data === undefined || file === null ? null : (
          <Result uploaded={upload.data} onImport={() => upload.mutate({ of: file, dryRun: false })} />
        )}
      </Stack>
    </Section>
  );
}

/** What a file is, or has become. */
function Result(props: { readonly uploaded: ApiResponse<'uploadChannelFile'>; readonly onImport: () => void }) {
  const { id: fileId, channelId } = props.uploaded;
  const query = useQuery({
    ...read('getChannelFile', { params: { channelId, fileId } }),
    initialData: props.uploaded,
    refetchInterval: ({ state }) => (state.data?.state === 'processing' ? REFRESH_MS : false),
  });
  return (
    <QueryContent query={query}>
      {(file) => {
        const { state, dryRun, counts, findings } = file;
        const { rows, orders, submitted, waiting } = counts;
        const done = orders === 0 ? 0 : (100 * (submitted + waiting + counts.ignored + counts.unchanged)) / orders;
        return (
          <>
            <Stack gap={4} role="status">
              {state === 'processing' ? <Progress value={done} aria-label={t.progress} /> : null}
              <Text size="sm" fw={500}>
                {state === 'refused' ? t.refused : (dryRun ? t.checked : t.imported)(rows, orders)}
              </Text>
              <FileCounts of={file} />
            </Stack>
            {state === 'refused' ? <Findings findings={findings} /> : null}
            {state === 'done' && findings.length > 0 ? <Rows of={file} /> : null}
            <Group>
              {dryRun && state === 'done' && submitted + waiting > 0 ? (
                <Button onClick={props.onImport}>{t.button(submitted + waiting)}</Button>
              ) : null}
              <DownloadErrors of={file} />
              {dryRun || waiting === 0 ? null : (
                <Link to="/inbox" search={{ channelId }}>
                  {t.inbox}
                </Link>
              )}
            </Group>
          </>
        );
      }}
    </QueryContent>
  );
}

/** The rows with errors as they were sent, with what is wrong in its place. */
function Rows({ of: { id: fileId, channelId, findings } }: { readonly of: ApiResponse<'getChannelFile'> }) {
  const query = useQuery({ ...read('listChannelFileRows', { params: { channelId, fileId } }), refetchInterval: false });
  const isWrong = (row: Row, name: string) => findings.some(({ line, column }) => line === row.line && column === name);
  const columnOf = (name: string, index: number) => ({
    name,
    cell: (row: Row) =>
      isWrong(row, name) ? <Badge tone="danger">{row.cells[index] || t.emptyCell}</Badge> : row.cells[index],
  });
  return (
    <QueryContent query={query}>
      {({ columns, rows }) => (
        <>
          <DataTable
            label={t.findings}
            rows={rows}
            keyOf={({ line }) => String(line)}
            columns={[
              { name: t.columns.line, numeric: true, cell: ({ line }) => line },
              { name: t.columns.message, cell: ({ error }) => error },
              ...columns.map(columnOf),
            ]}
          />
          {rows.length < MOST_ROWS ? null : <Text size="sm">{t.more}</Text>}
        </>
      )}
    </QueryContent>
  );
}

/** What the orders of a file became, or would become. */
export function FileCounts({ of: { counts, dryRun } }: { readonly of: ChannelFile }) {
  const parts = (['submitted', 'waiting', 'ignored', 'unchanged'] as const).filter((name) => counts[name] > 0);
  return <Text size="sm">{parts.map((name) => t.counts[name](counts[name], dryRun)).join(', ')}</Text>;
}

/** Downloads a file with its errors, where it has some. */
export function DownloadErrors({ of: { id, channelId, name, state, counts } }: { readonly of: ChannelFile }) {
  if (state === 'processing' || (state === 'done' && counts.waiting === 0)) return null;
  return (
    <Button
      component="a"
      size="compact-xs"
      variant="default"
      href={`/v1/channels/${channelId}/files/${id}/errors`}
      download
      aria-label={texts.channels.files.errorsOf(name)}
    >
      {texts.channels.files.errors}
    </Button>
  );
}
