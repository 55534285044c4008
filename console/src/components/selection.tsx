import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../texts';
import type { Column } from './data-table';

/** The rows of a table that are selected, and the column of checkboxes that selects them. */
export interface Selection<Row> {
  readonly selected: readonly Row[];
  readonly column: Column<Row>;
  readonly clear: () => void;
}

/**
 * Returns the selection of a table. A row that leaves the table is not selected any more.
 * @param nameOf returns the name of a row, which the label of its checkbox says
 */
export function useSelection<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const selected = rows.filter((row) => chosen.has(keyOf(row)));
  const choose = (key: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  return {
    selected,
    clear: () => setChosen(new Set()),
    column: {
      name: texts.common.select,
      header: (
        <Checkbox
          size="xs"
          aria-label={texts.common.selectAll}
          checked={selected.length > 0 && selected.length === rows.length}
          indeterminate={selected.length > 0 && selected.length < rows.length}
          onChange={(event) => setChosen(new Set(event.currentTarget.checked ? rows.map(keyOf) : []))}
        />
      ),
      cell: (row) => (
        <Checkbox
          size="xs"
          aria-label={texts.common.selectRow(nameOf(row))}
          checked={chosen.has(keyOf(row))}
          onChange={(event) => choose(keyOf(row), event.currentTarget.checked)}
        />
      ),
    },
  };
}
