import { Paper, Table } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  /** What the header cell shows when it is not the name alone. */
  readonly header?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly numeric?: boolean;
}

/** A table of rows. `activeKey` marks the row that the keyboard is on. */
export function DataTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly activeKey?: string | undefined;
}) {
  const { label, columns, rows, keyOf, activeKey } = props;
  const activeRow = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row scrolls the page
  useEffect(() => activeRow.current?.scrollIntoView({ block: 'nearest' }), [activeKey]);
  return (
    <Paper className={styles.frame!}>
      <Table aria-label={label} verticalSpacing="xs" horizontalSpacing="md" highlightOnHover>
        <Table.Thead className={styles.head!}>
          <Table.Tr>
            {columns.map(({ name, header, numeric }) => (
              <Table.Th key={name} scope="col" className={numeric ? styles.numeric! : ''}>
                {header ?? name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => {
            const key = keyOf(row);
            const active = key === activeKey;
            return (
              <Table.Tr
                key={key}
                ref={active ? activeRow : null}
                className={active ? styles.active! : ''}
                aria-current={active ? 'true' : undefined}
              >
                {columns.map(({ name, cell, numeric }) => (
                  <Table.Td key={name} className={numeric ? styles.numeric! : ''}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
