import { readCsv } from '../platform/csv';

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

/** One top-level value of a JSON file: a line of JSON Lines, or an element of one array. */
interface JsonValue {
  /** Line of the file on which the value begins, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Splits a stream of JSON text into the texts of its objects: the elements of one array, or consecutive objects (JSON
 * Lines). The caller parses each text. Anything between objects, except commas, brackets and white space, is returned
 * as a separate text, which the caller then finds not to be JSON.
 *
 * Not stream-json 3.8.0: its tokens carry no line numbers, and it cannot continue after invalid JSON.
 */
export async function* readJsonObjects(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<JsonValue> {
  let line = 1;
  let begun = 1;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let pieces = '';
  for await (const chunk of text) {
    let from = depth > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at]!;
      if (character === '\n') line += 1;
      if (depth === 0) {
        if (character === '{') {
          if (pieces !== '') yield { line: begun, text: pieces };
          pieces = '';
          begun = line;
          depth = 1;
          from = at;
        } else if (!/[\s,[\]\uFEFF]/.test(character)) {
          if (pieces === '') begun = line;
          pieces += character;
        } else if (pieces !== '') {
          yield { line: begun, text: pieces };
          pieces = '';
        }
      } else if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') {
        inString = true;
      } else if (character === '{') {
        depth += 1;
      } else if (character === '}') {
        depth -= 1;
        if (depth === 0) {
          yield { line: begun, text: pieces + chunk.slice(from, at + 1) };
          pieces = '';
          from = -1;
        }
      }
    }
    if (depth > 0) pieces += chunk.slice(from);
  }
  if (pieces !== '') yield { line: begun, text: pieces };
}
