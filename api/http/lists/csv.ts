import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import { RawResponse } from '../route';

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

type Cell = string | number | boolean | null | undefined;

export interface CsvExport<Row> {
  /** Without the extension. */
  readonly name: string;
  /** Header and values of the columns, in order. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>;
  /** Reads the rows after a row, or the first ones, in the order of the list. */
  readonly read: (page: { readonly limit: number; readonly after: Row | null }) => Promise<readonly Row[]>;
}

/** Streams a list as CSV. It is read page by page while the receiver takes it. */
export function csvResponse<Row>({ name, columns, read }: CsvExport<Row>): RawResponse {
  async function* rows() {
    let after: Row | null = null;
    for (;;) {
      const page: readonly Row[] = await read({ limit: PAGE_ROWS, after });
      yield* page;
      if (page.length < PAGE_ROWS) return;
      after = page.at(-1)!;
    }
  }
  return csvOf({ name, columns, rows: rows() });
}

/**
 * Streams rows as CSV (RFC 4180), up to the limit of an export. Texts that a spreadsheet would run as a formula are escaped.
 */
export function csvOf<Row>({
  name,
  columns,
  rows,
}: Pick<CsvExport<Row>, 'name' | 'columns'> & { readonly rows: AsyncIterable<Row> }): RawResponse {
  async function* records() {
    let left = MOST_ROWS;
    for await (const row of rows) {
      if (left === 0) return;
      left -= 1;
      yield Object.values(columns).map((cell) => cell(row) ?? '');
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
  return new RawResponse(200, headers, Readable.from(records()).compose(csv));
}
