import type { Fragment, Queryable } from './postgres';

/** The position of a row in a list that is sorted by time, then id. */
export interface SearchPosition {
  /** ISO 8601 in UTC with microseconds, as Postgres stores times. */
  readonly time: string;
  readonly id: string;
}

/** A page of such a list. */
export interface SearchPage {
  readonly limit: number;
  /** The position of the last row of the page before. Null for the first page. */
  readonly after: SearchPosition | null;
}

/**
 * Most rows that one page of a search compares with filters that have no index. A page of rare values then ends early
 * instead of reading every row of an account.
 */
export const COMPARED_ROWS = 5_000;

/** Returns the text of a time with its microseconds. The driver's Date drops them, and rows of one millisecond would be skipped. */
export const isoMicroseconds = (sql: Queryable, column: Fragment): Fragment =>
  sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
