import type { Fragment, Queryable } from './postgres';

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

/** A page of a list that is sorted by id, newest first. */
export interface IdPage {
  readonly limit: number;
  /** The last id of the page before. */
  readonly after: string | undefined;
}

/** Returns the end of the query of such a page, after its first condition. */
export const newestFirst = (sql: Queryable, { limit, after }: IdPage): Fragment =>
  sql`${after === undefined ? sql`` : sql`AND id < ${after}`} ORDER BY id DESC LIMIT ${limit}`;

/**
 * Most rows that one page of a search compares with filters that have no index. A page of rare values then ends early
 * instead of reading every row of an account.
 */
export const COMPARED_ROWS = 5_000;

/** Returns the text of a time with its microseconds. The driver's Date drops them, and rows of one millisecond would be skipped. */
export const isoMicroseconds = (sql: Queryable, column: Fragment): Fragment =>
  sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Lists whose rows with problems come first. Each status has age ranges, and each range has a problem or none. The ranges
 * of one status cover every age without a gap, so each row is in exactly one range.
 */
export interface AgeRange<Status extends string, Problem extends string> {
  readonly status: Status;
  /** Youngest age in milliseconds, inclusive. 0: also rows that are younger, as clocks differ. */
  readonly from: number;
  /** Oldest age in milliseconds, exclusive. Infinity: no limit. */
  readonly to: number;
  readonly problem: Problem | null;
}

export interface ProblemPosition extends SearchPosition {
  readonly hasProblem: boolean;
}

/** A page of such a list. `only`: without the rows that have no problem. */
export interface ProblemPage {
  readonly limit: number;
  readonly after: ProblemPosition | null;
  readonly only: boolean;
}

/** Returns age ranges as columns of a statement, with ages as times before now. */
export function ageRangeColumns<Status extends string, Problem extends string>(
  ranges: readonly AgeRange<Status, Problem>[],
  now: number,
) {
  const before = (age: number) => new Date(now - age).toISOString();
  return {
    statuses: ranges.map(({ status }) => status),
    problems: ranges.map(({ problem }) => problem),
    oldest: ranges.map(({ to }) => (to === Number.POSITIVE_INFINITY ? '-infinity' : before(to))),
    youngest: ranges.map(({ from }) => (from === 0 ? 'infinity' : before(from))),
  };
}

/** Reads a page: rows with a problem, then the others. */
export async function readProblemsFirst<Row>(
  { limit, after, only }: ProblemPage,
  read: (hasProblem: boolean, page: SearchPage) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const problems = after?.hasProblem === false ? [] : await read(true, { limit, after });
  if (only || problems.length >= limit) return problems;
  const others = await read(false, {
    limit: limit - problems.length,
    after: after?.hasProblem === false ? after : null,
  });
  return [...problems, ...others];
}
