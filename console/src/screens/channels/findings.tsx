import { Group, Text } from '@mantine/core';
import type { ApiResponse } from '../../api/types';
import { type Column, DataTable } from '../../components/lists/data-table';
import { Badge } from '../../components/values/badge';
import { texts } from '../../texts';

type Finding = ApiResponse<'getChannelFile'>['findings'][number];

const t = texts.channels.import;

/** The cell that a reason is about, marked. */
export function Cell({ of: { column, value } }: { readonly of: Pick<Finding, 'column' | 'value'> }) {
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

const COLUMNS: readonly Column<Finding>[] = [
  { name: t.columns.line, numeric: true, cell: ({ line }) => line },
  { name: t.columns.order, cell: ({ externalId }) => externalId },
  { name: t.columns.cell, cell: (row) => <Cell of={row} /> },
  { name: t.columns.message, cell: ({ message }) => message },
];

/** What is wrong with a file: each error with its cell. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <DataTable
      label={t.findings}
      columns={COLUMNS}
      rows={findings}
      keyOf={(row) => `${row.line} ${row.field} ${row.message}`}
    />
  );
}
