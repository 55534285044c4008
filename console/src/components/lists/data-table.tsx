import { Paper, Table } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  /** What the header cell shows when it is not the name alone. */
  readonly header?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly numeric?: boolean;
}

/** What the keyboard needs to scroll a table that is wider than its frame. */
const FOCUSABLE = { tabIndex: 0, role: 'group' } as const;

/** Returns whether the content of an element is wider than the element. */
function useCut() {
  const frame = useRef<HTMLDivElement>(null);
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setCut(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    if (current.firstElementChild !== null) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return { frame, isCut };
}

/** A table of rows. `activeKey` marks the row that the keyboard is on. */
export function DataTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly activeKey?: string | undefined;
  /** What a table without rows says. */
  readonly empty?: string;
}) {
  const { label, columns, rows, keyOf, activeKey, empty } = props;
  const { frame, isCut } = useCut();
  const activeRow = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row scrolls the page
  useEffect(() => {
    // Browsers return a promise, which React would take for the function that ends the effect.
    activeRow.current?.scrollIntoView({ block: 'nearest' });
  }, [activeKey]);
  return (
    <Paper className={styles.frame!} ref={frame} {...(isCut ? { ...FOCUSABLE, 'aria-label': label } : {})}>
      <Table aria-label={label} verticalSpacing="xs" horizontalSpacing="sm" highlightOnHover>
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
          {rows.length === 0 && empty !== undefined ? (
            <Table.Tr>
              <Table.Td colSpan={columns.length}>{empty}</Table.Td>
            </Table.Tr>
          ) : null}
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
