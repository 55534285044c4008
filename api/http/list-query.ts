import { z } from 'zod';
import { invalidField, type Refusal } from '../../src/platform/errors';
import { isUuid } from '../../src/platform/ids';
import type { IdPage, SearchPage, SearchPosition } from '../../src/platform/list-position';

/** The largest number of rows on a page, in requests. */
export const limitField = z.coerce.number().int().min(1).max(250).default(50);

/** The cursor of a list in requests. */
export const cursorField = z
  .string()
  .max(300)
  .describe('`nextCursor` of the previous page. Keep the other parameters unchanged.');

/** The cursor of a list that is sorted by id alone. */
export const idCursorField = z
  .uuid()
  .describe('`nextCursor` of the previous page. Keep the other parameters unchanged.');

/** A time of an order: Postgres accepts fewer years than ISO 8601. */
const time = z.iso.datetime({ precision: 6 }).regex(/^[12]/);

/** Returns the cursor of a position: base64url of `<time> <id>`. */
export function encodeCursor({ time, id }: SearchPosition): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}

/**
 * Returns the position that a cursor stands for.
 * @param isId checks the form of the list's ids
 * @throws Refusal `VALIDATION_ERROR` at `cursor` when it is not a cursor of the list
 */
export function decodeCursor(cursor: string, isId: (id: string) => boolean = isUuid): SearchPosition {
  const [at, id = '', ...rest] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const { data } = time.safeParse(at);
  if (data !== undefined && isId(id) && rest.length === 0) return { time: data, id };
  throw invalidCursor();
}

/** Returns the refusal of a text that is not a cursor of a list. */
export function invalidCursor(message = 'Not a cursor of this list.'): Refusal {
  return invalidField('cursor', message);
}

/**
 * Cuts a page out of the rows that were read for it.
 * @param rows one more than `limit` when there is a next page
 * @param cursorOf returns the cursor that continues after a row
 */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): { readonly page: Row[]; readonly nextCursor: string | null } {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { page: rows.slice(0, limit), nextCursor: last === undefined ? null : cursorOf(last) };
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | null | undefined;
}

/** Reads a page of a list that is sorted by id. */
export async function pageById<Row extends { readonly id: string }>(
  { limit, cursor }: PageQuery,
  read: (page: IdPage) => Promise<readonly Row[]>,
) {
  return pageOf(await read({ limit: limit + 1, after: cursor ?? undefined }), limit, ({ id }) => id);
}

/** Returns the cursor that continues after a row of a list that is sorted by time, then id. */
export const cursorAfter = ({ position, id }: { readonly position: string; readonly id: string }): string =>
  encodeCursor({ time: position, id });

/**
 * Reads a page of a list that is sorted by time, then id.
 * @param isId checks the form of the list's ids
 */
export async function pageByTime<Row extends { readonly position: string; readonly id: string }>(
  { limit, cursor }: PageQuery,
  read: (page: SearchPage) => Promise<readonly Row[]>,
  isId?: (id: string) => boolean,
) {
  const after = cursor == null ? null : decodeCursor(cursor, isId);
  return pageOf(await read({ limit: limit + 1, after }), limit, cursorAfter);
}

/**
 * Reads a page of a search that compares a limited number of rows.
 * @param read `comparedTo`: the position up to which it has compared rows, when it has not compared all
 */
export async function pageOfSearch<Row extends { readonly position: string; readonly id: string }>(
  { limit, cursor }: PageQuery,
  read: (page: SearchPage) => Promise<{ readonly orders: readonly Row[]; readonly comparedTo: SearchPosition | null }>,
) {
  let comparedTo: SearchPosition | null = null;
  const { page, nextCursor } = await pageByTime({ limit, cursor }, async (wanted) => {
    const found = await read(wanted);
    comparedTo = found.comparedTo;
    return found.orders;
  });
  return { page, nextCursor: nextCursor ?? (comparedTo && encodeCursor(comparedTo)) };
}

/** Largest number of values in one filter. It equals the largest page. */
const FILTER_VALUES = 250;

/** Filter of a search: matches any of the given values. Absent and null are no filter. */
export const anyOf = <T extends z.ZodType>(value: T, max = FILTER_VALUES) =>
  z
    .array(value)
    .min(1)
    .max(max)
    .nullish()
    .transform((values) => values ?? undefined);

/** Filter of a search as a query parameter: several values are separated by commas. */
export const anyOfList = <T extends z.ZodType<unknown, string>>(value: T) =>
  z
    .string()
    .max(2_000)
    .transform((text) => text.split(','))
    .pipe(z.array(value).min(1).max(FILTER_VALUES))
    .optional();
