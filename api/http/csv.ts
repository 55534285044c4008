import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import { RawAnswer } from './route';

/** Rows of one export at most. A larger list is exported in parts, by its filters. */
const MOST_ROWS = 250_000;
/** Rows per database read. */
const PAGE_ROWS = 1_000;

/** The query parameter of lists that can be exported. */
export const formatQuery = z
  .enum(['json', 'csv'])
  .default('json')
  .describe(
    `\`csv\`: every row that matches, on all pages, up to ${MOST_ROWS.toLocaleString('en')} rows; \`limit\` and \`cursor\` are ignored.`,
  );

export interface CsvExport<Row> {
  /** Without the extension. */
  readonly name: string;
  /** Header and values of the columns, in order. */
  readonly columns: Readonly<Record<string, (row: Row) => string | number | boolean | null | undefined>>;
  /** Reads the rows after a row, or the first ones, in the order of the list. */
  readonly read: (page: { readonly limit: number; readonly after: Row | null }) => Promise<readonly Row[]>;
}

/**
 * Streams a list as CSV (RFC 4180). It is read page by page while the receiver takes it. Texts that a spreadsheet would run
 * as a formula are escaped.
 */
export function csvAnswer<Row>({ name, columns, read }: CsvExport<Row>): RawAnswer {
  async function* records() {
    let after: Row | null = null;
    for (let left = MOST_ROWS; left > 0; left -= PAGE_ROWS) {
      const rows: readonly Row[] = await read({ limit: Math.min(PAGE_ROWS, left), after });
      for (const row of rows) yield Object.values(columns).map((cell) => cell(row) ?? '');
      if (rows.length < PAGE_ROWS) return;
      after = rows.at(-1)!;
    }
  }
  const csv = stringify({
    header: true,
    columns: Object.keys(columns),
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { boolean: String },
  });
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
  };
  return new RawAnswer(200, headers, Readable.from(records()).compose(csv));
}
