import { Code, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Empty } from '../../components/layout/empty';
import { Section } from '../../components/layout/section';
import { type Column, DataTable } from '../../components/lists/data-table';
import * as texts from '../../texts';
import type { System } from './types';

type Variable = System['configuration'][number];

const t = texts.system;

const COLUMNS: readonly Column<Variable>[] = [
  { name: t.configurationColumns.name, cell: ({ name }) => <Code>{name}</Code> },
  { name: t.configurationColumns.value, cell: ({ value }) => value ?? t.notSet },
  { name: t.configurationColumns.fallback, cell: ({ fallback }) => fallback || texts.common.none },
  { name: t.configurationColumns.doc, cell: ({ doc }) => doc },
];

/** The environment variables of the API process. Secrets are not shown. */
export function Configuration({ variables }: { readonly variables: readonly Variable[] }) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = variables.filter(({ name, doc }) => `${name} ${doc}`.toLowerCase().includes(wanted));
  return (
    <Section title={t.configuration}>
      <TextInput
        type="search"
        label={t.configurationFilter}
        w={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {shown.length === 0 ? (
        <Empty title={t.noVariable} text={t.noVariableText} />
      ) : (
        <DataTable label={t.configuration} columns={COLUMNS} rows={shown} keyOf={({ name }) => name} />
      )}
    </Section>
  );
}
