import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { z } from 'zod';
import { unavailable } from '../../src/platform/unavailable';
import { type Operation, RawResponse, type Route, type RouteDefinition, route } from './route';

/** Rows of one export at most. A larger list is exported in parts, by its filters. */
const MOST_ROWS = 250_000;
/** Rows of one database read. */
const PAGE_ROWS = 1_000;
/** Time that an export may take. Beyond it, its connection is closed, so that no one takes a part for the whole. */
const MOST_MS = 5 * 60_000;

/** The query parameter of lists that can be exported. */
export const formatQuery = z
  .enum(['json', 'csv'])
  .default('json')
  .describe(
    `\`csv\`: every row that matches, on all pages, up to ${MOST_ROWS.toLocaleString('en')} rows; \`limit\` and \`cursor\` are ignored. ` +
      'An account can make as many exports at once as its quota allows, two by default (429). An export may take five minutes.',
  );

type Query = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

/** How the pages of a list are requested. */
interface Pages {
  /** Returns the query of the first page. */
  readonly first: (query: Query) => Query;
  /** Returns the query of the page after this one, or null after the last. */
  readonly next: (query: Query, response: Row, rows: readonly Row[]) => Query | null;
}

/** The ways in which lists are paged. */
export const PAGES = {
  /** `cursor` and `nextCursor`. */
  byCursor: {
    first: (query) => ({ ...query, limit: PAGE_ROWS, cursor: undefined }),
    next: (query, { nextCursor }) => (nextCursor === null ? null : { ...query, cursor: nextCursor }),
  },
  byOffset: {
    first: (query) => ({ ...query, limit: PAGE_ROWS, offset: 0 }),
    next: (query, _response, { length }) =>
      length < PAGE_ROWS ? null : { ...query, offset: Number(query.offset) + length },
  },
  byNumber: {
    first: (query) => ({ ...query, perPage: PAGE_ROWS, pageNumber: 1 }),
    next: (query, _response, { length }) =>
      length < PAGE_ROWS ? null : { ...query, pageNumber: Number(query.pageNumber) + 1 },
  },
  /** `before`: the id of the last row. */
  byLastId: {
    first: (query) => ({ ...query, limit: PAGE_ROWS, before: undefined }),
    next: (query, _response, rows) => (rows.length < PAGE_ROWS ? null : { ...query, before: rows.at(-1)!.id }),
  },
  /** The list has one page. */
  single: { first: (query) => query, next: () => null },
} as const satisfies Record<string, Pages>;

/** How a list is exported. */
interface ListExport<R extends z.ZodObject> {
  /** Name of the file, without the extension. */
  readonly name: string;
  /** The member of the response that holds the rows. */
  readonly rows: keyof R['shape'] & string;
  readonly pages: Pages;
}

/**
 * Declares a list that can also be returned as CSV (RFC 4180), with `format=csv` in its query. The columns are the members
 * of a row. Each page is read by the handler, with the filters of the call, when the receiver has taken the one before.
 */
export function exportedList<
  P extends z.ZodType,
  Q extends z.ZodType<{ readonly format: string }>,
  B extends z.ZodType,
  R extends z.ZodObject,
>(operation: Operation, { csv, ...definition }: RouteDefinition<P, Q, B, R> & { readonly csv: ListExport<R> }): Route {
  const { response, handler } = definition;
  const { element } = response.shape[csv.rows] as z.ZodArray<z.ZodObject>;
  const columns = columnsOf(element);
  async function* rowsOf(call: Parameters<typeof handler>[0]) {
    const endsAt = performance.now() + MOST_MS;
    let left = MOST_ROWS;
    for (let query: Query | null = csv.pages.first(call.query as Query); query !== null && !call.signal.aborted; ) {
      if (performance.now() > endsAt) throw unavailable('The export took too long. Narrow its filters.');
      const response = (await handler(Object.assign(call, { query: query as z.output<Q> }))) as Row;
      const rows = response[csv.rows] as readonly Row[];
      yield* rows.slice(0, left).map((row) => columns.map(({ cell }) => cell(row)));
      left -= rows.length;
      query = left <= 0 ? null : csv.pages.next(query, response, rows);
    }
  }
  return route<P, Q, B, R>(operation, {
    ...definition,
    refuses: ['QUOTA_EXCEEDED', ...(definition.refuses ?? [])],
    otherContentTypes: ['text/csv', ...(definition.otherContentTypes ?? [])],
    handler: async (call) => {
      if (call.query.format !== 'csv') return await handler(call);
      const release = await call.quotas.beginExport(call.account);
      const rows = rowsOf(call);
      // The first row is read before the response begins, so that a refusal has its status.
      const first = await rows.next().catch((error: unknown) => {
        release();
        throw error;
      });
      async function* all() {
        if (first.done) return;
        yield first.value;
        yield* rows;
      }
      const stream = stringify({
        header: true,
        columns: columns.map(({ name }) => name),
        // A spreadsheet would run texts that look like a formula.
        escape_formulas: true,
        record_delimiter: 'windows',
        cast: { boolean: String, date: (at) => at.toISOString() },
      });
      const headers = {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="${csv.name}.csv"`,
      };
      const body = Readable.from(all()).compose(stream);
      body.once('close', release);
      return new RawResponse(200, headers, body);
    },
  });
}

interface Column {
  readonly name: string;
  readonly cell: (row: Row) => unknown;
}

/**
 * Returns the columns of a row. No cell is JSON: `actor` with the members `id` and `name` has the columns `actorId` and
 * `actorName`, which are empty when it is null; a list of such objects has the same columns, with the values of all of them.
 */
function columnsOf({ shape }: z.ZodObject): Column[] {
  return Object.entries(shape).flatMap(([name, schema]): Column[] => {
    const inner = unwrapped(schema);
    const element = inner instanceof z.ZodArray ? unwrapped(inner.element as z.ZodType) : null;
    const nested = (object: z.ZodObject, cell: (column: Column, value: unknown) => unknown) =>
      columnsOf(object).map((column) => ({
        name: `${name}${column.name.charAt(0).toUpperCase()}${column.name.slice(1)}`,
        cell: (row: Row) => cell(column, row[name]),
      }));
    if (inner instanceof z.ZodObject) return nested(inner, ({ cell }, value) => cell((value ?? {}) as Row));
    if (element instanceof z.ZodObject)
      return nested(element, ({ cell }, rows) => cellOf(((rows ?? []) as Row[]).map(cell)));
    return [{ name, cell: (row) => cellOf(row[name]) }];
  });
}

/** Returns the schema of the values that are not null. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as { readonly innerType?: z.core.$ZodType };
  return innerType === undefined ? schema : unwrapped(innerType);
}

/** Separates the values of a list in a cell. */
const AND = '; ';

/** Returns a cell: the values of a list, and of an object with the names of its members, one after the other. */
function cellOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
    ? textsOf(value).join(AND)
    : (value ?? '');
}

function textsOf(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    const text = value instanceof Date ? value.toISOString() : String(value ?? '');
    return [name === '' ? text : `${name}=${text}`];
  }
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) =>
    textsOf(inner, isList ? name : name === '' ? key : `${name}.${key}`),
  );
}
