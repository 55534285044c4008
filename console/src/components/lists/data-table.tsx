import { Paper, Table, UnstyledButton } from '@mantine/core';
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { AscendingIcon, DescendingIcon } from '../layout/icons';
import styles from './data-table.module.css';

export interface Column<Row> {
  readonly name: string;
  /** What the header cell shows when it is not the name alone. */
  readonly header?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  readonly numeric?: boolean;
  /** What its header sorts the rows by. Undefined: it does not. */
  readonly sortBy?: (row: Row) => string | number | null;
}

interface Sorting {
  readonly name: string;
  readonly isDescending: boolean;
}

/** Returns rows in the order of a column. Rows without a value are the last ones. */
function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null): readonly Row[] {
  const keyOf = columns.find(({ name }) => name === sorting?.name)?.sortBy;
  if (keyOf === undefined || sorting === null) return rows;
  const sign = sorting.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b));
  });
}

/** A header that sorts by its column: ascending, descending, and as the rows came. */
function SortButton(props: {
  readonly name: string;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}) {
  const { name, sorting, onSort } = props;
  const isDescending = sorting?.name === name ? sorting.isDescending : undefined;
  const next =
    isDescending === undefined ? { name, isDescending: false } : isDescending ? null : { name, isDescending: true };
  const Arrow = isDescending === true ? DescendingIcon : AscendingIcon;
  return (
    <UnstyledButton className={styles.sort!} data-sorted={isDescending !== undefined} onClick={() => onSort(next)}>
      {name}
      <Arrow size={12} />
    </UnstyledButton>
  );
}

const ariaSort = (name: string, sorting: Sorting | null) =>
  sorting?.name !== name ? undefined : sorting.isDescending ? 'descending' : 'ascending';

/** A cell that is cut off says all of its text when it is pointed at. */
function showCutText({ currentTarget: cell }: MouseEvent<HTMLTableCellElement>): void {
  cell.title = cell.scrollWidth > cell.clientWidth ? (cell.textContent ?? '') : '';
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
  /** Each row is one line, and what does not fit is cut off. */
  readonly isDense?: boolean;
}) {
  const { label, columns, rows, keyOf, activeKey, empty, isDense = false } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const { frame, isCut } = useCut();
  const activeRow = useRef<HTMLTableRowElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another row scrolls the page
  useEffect(() => {
    // Browsers return a promise, which React would take for the function that ends the effect.
    activeRow.current?.scrollIntoView({ block: 'nearest' });
  }, [activeKey]);
  return (
    <Paper className={styles.frame!} ref={frame} {...(isCut ? { ...FOCUSABLE, 'aria-label': label } : {})}>
      <Table
        aria-label={label}
        verticalSpacing={isDense ? 3 : 'xs'}
        horizontalSpacing="sm"
        highlightOnHover
        className={isDense ? styles.dense! : ''}
      >
        <Table.Thead className={styles.head!}>
          <Table.Tr>
            {columns.map(({ name, header, numeric, sortBy }) => (
              <Table.Th
                key={name}
                scope="col"
                className={numeric ? styles.numeric! : ''}
                aria-sort={ariaSort(name, sorting)}
              >
                {sortBy === undefined ? (
                  (header ?? name)
                ) : (
                  <SortButton name={name} sorting={sorting} onSort={setSorting} />
                )}
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
          {sorted(rows, columns, sorting).map((row) => {
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
                  <Table.Td
                    key={name}
                    className={numeric ? styles.numeric! : ''}
                    {...(isDense ? { onMouseEnter: showCutText } : {})}
                  >
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
