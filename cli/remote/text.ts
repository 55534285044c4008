type Cell = string | number | boolean | null | undefined;

/** Returns a value for people. Times are in UTC, to the second. */
function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  return (
    String(value)
      .replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2')
      // A partner's text must not control the terminal.
      .replace(/\p{Cc}+/gu, ' ')
  );
}

/** Returns a table with aligned columns: a line of headings, and one for each row. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return 'none';
  const cells = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(shown))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns lines of a name and a value. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

/** Returns titled blocks, without those of an empty list. */
export function sections(blocks: readonly (readonly [title: string, text: string])[]): string {
  return blocks
    .filter(([, text]) => text !== 'none')
    .map(([title, text]) => (title === '' ? text : `${title}\n${text.replace(/^/gm, '  ')}`))
    .join('\n\n');
}
