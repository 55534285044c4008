import type { z } from 'zod';
import { type Route, type RouteDefinition, route } from '../route';
import { csvOf } from './csv';

type Query = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

/** How the pages of a list are requested. */
interface Pages {
  /** Returns the query of the first page, as large as pages may be. */
  readonly first: (query: Query) => Query;
  /** Returns the query of the page after this one, or null after the last. */
  readonly next: (query: Query, response: Row, rows: readonly Row[]) => Query | null;
}

const isFull = (rows: readonly Row[], size: unknown) => rows.length >= Number(size);

/** The ways in which lists are paged. */
export const PAGES = {
  /** `cursor` and `nextCursor`. */
  byCursor: {
    first: (query) => ({ ...query, limit: 250, cursor: undefined }),
    next: (query, { nextCursor }) => (nextCursor === null ? null : { ...query, cursor: nextCursor }),
  },
  byOffset: {
    first: (query) => ({ ...query, limit: 250, offset: 0 }),
    next: (query, _response, rows) =>
      isFull(rows, query.limit) ? { ...query, offset: Number(query.offset) + rows.length } : null,
  },
  byNumber: {
    first: (query) => ({ ...query, perPage: 1_000, pageNumber: 1 }),
    next: (query, _response, rows) =>
      isFull(rows, query.perPage) ? { ...query, pageNumber: Number(query.pageNumber) + 1 } : null,
  },
  /** `before`: the id of the last row. */
  byLastId: {
    first: (query) => ({ ...query, limit: 1_000, before: undefined }),
    next: (query, _response, rows) => (isFull(rows, query.limit) ? { ...query, before: rows.at(-1)!.id } : null),
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
 * Declares a list that can also be returned as CSV, with `format=csv` in its query. The columns are the members of a row; members that
 * are objects or lists are JSON. Each page is read by the handler, with the filters of the call.
 */
export function exportedList<
  P extends z.ZodType,
  Q extends z.ZodType<{ readonly format: 'json' | 'csv' }>,
  B extends z.ZodType,
  R extends z.ZodObject,
>({ csv, ...definition }: RouteDefinition<P, Q, B, R> & { readonly csv: ListExport<R> }): Route {
  const { response, handler } = definition;
  const { element } = response.shape[csv.rows] as z.ZodArray<z.ZodObject>;
  const columns = Object.fromEntries(Object.keys(element.shape).map((name) => [name, (row: Row) => cellOf(row[name])]));
  async function* rowsOf(call: Parameters<typeof handler>[0]) {
    for (let query: Query | null = csv.pages.first(call.query as Query); query !== null; ) {
      const response = (await handler({ ...call, query: query as z.output<Q> })) as Row;
      const rows = response[csv.rows] as readonly Row[];
      yield* rows;
      query = csv.pages.next(query, response, rows);
    }
  }
  return route<P, Q, B, R>({
    ...definition,
    handler: async (call) => {
      if (call.query.format !== 'csv') return await handler(call);
      // The first row is read before the response begins, so that a refusal has its status.
      const rows = rowsOf(call);
      const first = await rows.next();
      async function* all() {
        if (first.done) return;
        yield first.value;
        yield* rows;
      }
      return csvOf({ name: csv.name, columns, rows: all() });
    },
  });
}

function cellOf(value: unknown): string | number | boolean | null | undefined {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null | undefined);
}
