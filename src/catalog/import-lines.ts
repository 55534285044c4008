import { readCsv } from './domain/csv';
import { readJsonObjects } from './domain/json-values';

/** One entry of an import file: its fields, or the fault that makes it unreadable. */
export interface ImportLine {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>> | null;
  readonly fault?: string;
}

/** Columns whose cells are JSON. Other cells are text, except for `true` and `false` in flag columns. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'properties',
  'attributes',
  'parts',
  'production',
  'variantOptions',
  'partQuantities',
]);
const FLAG_COLUMNS: ReadonlySet<string> = new Set(['isCustom', 'isDefault']);

function cellValue(column: string, cell: string): unknown {
  if (JSON_COLUMNS.has(column)) return JSON.parse(cell) as unknown;
  if (FLAG_COLUMNS.has(column)) return cell === 'true' ? true : cell === 'false' ? false : cell;
  // Customers may also be plain text, separated by semicolons.
  if (column === 'customerIds') {
    return cell.startsWith('[') ? (JSON.parse(cell) as unknown) : cell.split(';').map((entry) => entry.trim());
  }
  return cell;
}

/**
 * Reads CSV with a header of field names. Cells of structured fields hold JSON. An empty cell omits its field.
 * @throws CsvError for text that is not valid CSV
 */
export async function* csvLines(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<ImportLine> {
  let header: readonly string[] | undefined;
  for await (const { line, cells } of readCsv(text)) {
    if (header === undefined) {
      header = cells.map((name) => name.trim());
      continue;
    }
    if (cells.length > header.length) {
      yield {
        line,
        fields: null,
        fault: `has ${cells.length} cells, but the header has ${header.length} columns`,
      };
      continue;
    }
    const fields: Record<string, unknown> = {};
    let fault: string | undefined;
    for (const [at, cell] of cells.entries()) {
      const column = header[at]!;
      if (cell === '') continue;
      try {
        fields[column] = cellValue(column, cell);
      } catch {
        fault ??= `column ${column} is not valid JSON`;
      }
    }
    yield fault === undefined ? { line, fields } : { line, fields: null, fault };
  }
}

/** Reads an array of JSON objects, or JSON Lines. */
export async function* jsonLines(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<ImportLine> {
  for await (const value of readJsonObjects(text)) {
    try {
      yield { line: value.line, fields: JSON.parse(value.text) as Record<string, unknown> };
    } catch {
      yield { line: value.line, fields: null, fault: 'is not valid JSON' };
    }
  }
}
