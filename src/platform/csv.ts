/** One record of a CSV file. */
export interface CsvRecord {
  /** Line of the file on which the record begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Thrown for text that is not valid CSV. `line` is where the problem begins. */
export class CsvError extends Error {
  override readonly name = 'CsvError';

  constructor(
    readonly line: number,
    message: string,
  ) {
    super(`line ${line}: ${message}`);
  }
}

/**
 * Reads CSV from a stream of text, one record at a time. Follows RFC 4180: quoted cells, doubled quotes, line breaks in
 * quotes. Accepts LF and CRLF, skips a byte order mark and blank lines, and accepts a quote inside an unquoted cell.
 *
 * Not csv-parse 7.0.3: for a quote that is never closed it reports the last line of the file instead of the line of the
 * quote, it cannot accept `5" pipe` and refuse `"b"c` at once, and it is not faster (1.9 s against 2.1 s for 64 MB).
 * @throws CsvError for text after a closing quote, and for a quote that is never closed
 */
export async function* readCsv(
  text: AsyncIterable<string> | Iterable<string>,
  delimiter = ',',
): AsyncGenerator<CsvRecord> {
  let line = 1;
  let begun = 1;
  let cells: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let first = true;

  const endRecord = (): CsvRecord | undefined => {
    const blank = cells.length === 0 && state === 'start';
    const record = blank ? undefined : { line: begun, cells: [...cells, cell] };
    cells = [];
    cell = '';
    state = 'start';
    return record;
  };

  for await (const chunk of text) {
    for (const character of first ? chunk.replace(/^\uFEFF/, '') : chunk) {
      if (state === 'quoted') {
        if (character === '"') {
          state = 'closed';
        } else {
          cell += character;
          if (character === '\n') line += 1;
        }
      } else if (character === '\n') {
        if (cell.endsWith('\r') && state === 'plain') cell = cell.slice(0, -1);
        if (cell === '' && cells.length === 0 && state === 'plain') state = 'start';
        const record = endRecord();
        line += 1;
        begun = line;
        if (record !== undefined) yield record;
      } else if (character === delimiter) {
        cells.push(cell);
        cell = '';
        state = 'start';
      } else if (character === '"' && state === 'start') {
        state = 'quoted';
      } else if (character === '"' && state === 'closed') {
        cell += '"';
        state = 'quoted';
      } else if (state === 'closed' && character !== '\r') {
        throw new CsvError(line, 'text follows a closing quote');
      } else if (state !== 'closed') {
        cell += character;
        state = 'plain';
      }
    }
    if (chunk !== '') first = false;
  }
  if (state === 'quoted') throw new CsvError(begun, 'a quote is not closed');
  const last = endRecord();
  if (last !== undefined) yield last;
}
