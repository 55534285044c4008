import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import * as texts from '../../texts';
import type { Column } from './data-table';

const t = texts.common.selection;

/** The rows of a table that are selected, and the column of checkboxes that selects them. */
export interface Selection<Row> {
  /** The selected rows among those that are loaded. */
  readonly selected: readonly Row[];
  /** True when every row that matches the filter is selected, loaded or not. */
  readonly isEverything: boolean;
  readonly isEveryLoaded: boolean;
  readonly selectEverything: () => void;
  readonly column: Column<Row>;
  readonly clear: () => void;
  /** Selects a row, or ends its selection. */
  readonly toggle: (key: string) => void;
}

/**
 * Returns the selection of a table. A row that leaves the table is not selected any more.
 * @param filter of the list. Another filter ends the selection of everything that matches
 * @param nameOf returns the name of a row, which the label of its checkbox says
 */
export function useSelection<Row>(
  rows: readonly Row[],
  filter: string,
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [everythingOf, setEverythingOf] = useState<string | null>(null);
  const isEverything = everythingOf === filter;
  const isChosen = (row: Row) => isEverything || chosen.has(keyOf(row));
  const selected = rows.filter(isChosen);
  const isEveryLoaded = selected.length > 0 && selected.length === rows.length;
  const choose = (keys: Iterable<string>) => {
    setEverythingOf(null);
    setChosen(new Set(keys));
  };
  const toggle = (key: string) => {
    const keys = selected.map(keyOf);
    choose(keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key]);
  };
  return {
    selected,
    isEverything,
    isEveryLoaded,
    selectEverything: () => setEverythingOf(filter),
    clear: () => choose([]),
    toggle,
    column: {
      name: texts.common.select,
      header: (
        <Checkbox
          size="xs"
          aria-label={texts.common.selectAll}
          checked={isEveryLoaded}
          indeterminate={selected.length > 0 && !isEveryLoaded}
          onChange={(event) => choose(event.currentTarget.checked ? rows.map(keyOf) : [])}
        />
      ),
      cell: (row) => (
        <Checkbox
          size="xs"
          aria-label={texts.common.selectRow(nameOf(row))}
          checked={isChosen(row)}
          onChange={() => toggle(keyOf(row))}
        />
      ),
    },
  };
}

/** Offers to select the rows that match and are not loaded, when all loaded ones are selected and the list has more. */
export function SelectEverything(props: {
  readonly selection: Omit<Selection<unknown>, 'column' | 'toggle'>;
  readonly hasMore: boolean;
  /** A number of rows with their name, such as "100 orders". */
  readonly name: (count: number) => string;
  /** Number of rows that match. Undefined when it is not known. */
  readonly total: number | undefined;
  /** Most rows that one change takes. */
  readonly most?: number;
}) {
  const { selection, hasMore, name, total, most = Number.POSITIVE_INFINITY } = props;
  const { selected, isEverything, isEveryLoaded, selectEverything, clear } = selection;
  if (!(isEverything || (isEveryLoaded && hasMore))) return null;
  const isTooMany = total !== undefined && total > most;
  return (
    <Group gap="sm" role="status">
      <Text size="sm">
        {isEverything
          ? t.everything(total === undefined ? undefined : name(total))
          : t.everyLoaded(name(selected.length))}
        {!isEverything && isTooMany ? ` ${t.tooMany(name(total), name(most))}` : null}
      </Text>
      {isEverything ? (
        <Button size="xs" variant="default" onClick={clear}>
          {t.clear}
        </Button>
      ) : isTooMany ? null : (
        <Button size="xs" variant="default" onClick={selectEverything}>
          {t.selectEverything(total)}
        </Button>
      )}
    </Group>
  );
}
