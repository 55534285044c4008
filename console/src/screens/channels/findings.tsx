import { Group, Text } from '@mantine/core';
import type { ApiResponse } from '../../api/types';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import * as texts from '../../texts';

type Reason = ApiResponse<'getChannelOrder'>['reasons'][number];

const t = texts.channels.import;

/** The cell that a reason is about, marked. */
export function Cell({ of: { column, value } }: { readonly of: Reason }) {
  if (column === undefined) return null;
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="xs" c="dimmed">
        {column}
      </Text>
      <Badge tone="danger">{value ?? t.emptyCell}</Badge>
    </Group>
  );
}

const COLUMNS: readonly Column<Reason>[] = [
  { name: t.columns.line, numeric: true, cell: ({ line }) => line },
  { name: t.columns.cell, cell: (row) => <Cell of={row} /> },
  { name: t.columns.message, cell: ({ message }) => message },
];

/** What is wrong with a file or an order: each error with its cell. */
export function Findings({ findings }: { readonly findings: readonly Reason[] }) {
  return (
    <DataTable
      label={t.findings}
      columns={COLUMNS}
      rows={findings}
      keyOf={({ line, field, message }) => `${line} ${field} ${message}`}
    />
  );
}
