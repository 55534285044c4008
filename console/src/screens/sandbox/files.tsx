import { Anchor, Button, CopyButton } from '@mantine/core';
import { change } from '../../api/changes';
import { useMay } from '../../api/session';
import { DialogButton } from '../../components/forms/dialog-button';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';
import type { Sandbox } from './types';

type PrintFile = Sandbox['faultyFiles'][number];
type GoodFile = Sandbox['files'][number];

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

const RESPONSE: Column<GoodFile> = {
  name: t.columns.response,
  cell: ({ faultStatus }) => (faultStatus === null ? t.sent : <Badge tone="danger">{t.fault(faultStatus)}</Badge>),
};

/** Status that a host responds with after the button of its file. */
const FAULT_STATUS = 500;

const FAULT: Column<GoodFile> = {
  name: t.columns.buttons,
  cell: ({ name, faultStatus }) => {
    const params = { fileName: name };
    const fail = () => change('setSandboxFileFault', { params, body: { status: FAULT_STATUS } });
    const send = () => change('clearSandboxFileFault', { params });
    const words = faultStatus === null ? t.fail(FAULT_STATUS) : t.send;
    return (
      <DialogButton
        name={words.name}
        label={words.label(name)}
        explanation={words.explanation}
        button={words.name}
        changeOf={faultStatus === null ? fail : send}
      />
    );
  },
};

/** Faulty files of the sandbox. Orders name them by their addresses. */
export function FaultyFiles({ files }: { readonly files: readonly PrintFile[] }) {
  return (
    <Section title={t.faulty}>
      <DataTable label={t.faulty} columns={[NAME, SUMMARY, ...ADDRESS]} rows={files} keyOf={({ name }) => name} />
    </Section>
  );
}

/** Good files of the sandbox, and buttons with which their host fails. Orders name them by their addresses. */
export function GoodFiles({ files }: { readonly files: readonly GoodFile[] }) {
  const mayControl = useMay('operator');
  const columns = [NAME, RESPONSE, ...ADDRESS, ...(mayControl ? [FAULT] : [])];
  return (
    <Section title={t.title}>
      <DataTable label={t.title} columns={columns} rows={files} keyOf={({ name }) => name} />
    </Section>
  );
}
