import { Anchor, Button, CopyButton } from '@mantine/core';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { texts } from '../../texts';
import type { Sandbox } from './types';

type PrintFile = Sandbox['files'][number];

const t = texts.sandbox.files;

const NAME: Column<PrintFile> = { name: t.columns.name, cell: ({ name }) => name };
const SUMMARY: Column<PrintFile> = { name: t.columns.summary, cell: ({ summary }) => summary };
const ADDRESS: readonly Column<PrintFile>[] = [
  {
    name: t.columns.address,
    cell: ({ url }) => (
      <Anchor size="sm" href={url} target="_blank" rel="noreferrer">
        {url}
      </Anchor>
    ),
  },
  {
    name: t.copy,
    cell: ({ name, url }) => (
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" aria-label={t.copyOf(name)} onClick={copy}>
            {copied ? texts.common.copied : t.copy}
          </Button>
        )}
      </CopyButton>
    ),
  },
];

/** Files of the sandbox. Orders name them by their addresses. */
export function Files({ title, files }: { readonly title: string; readonly files: readonly PrintFile[] }) {
  const summaries = files.some(({ summary }) => summary !== null) ? [SUMMARY] : [];
  return (
    <Section title={title}>
      <DataTable label={title} columns={[NAME, ...summaries, ...ADDRESS]} rows={files} keyOf={({ name }) => name} />
    </Section>
  );
}
