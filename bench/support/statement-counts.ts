import type { Sql } from '../../src/platform/postgres';

/** Settings with which Postgres can count statements. It counts only within `countStatements`. */
export const STATEMENT_COUNTING = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '10000',
  'pg_stat_statements.track_planning': 'on',
};

/** What Postgres did for some work. */
export interface StatementCounts {
  /** Without `BEGIN`, `COMMIT` and `ROLLBACK`. */
  readonly statements: number;
  readonly transactionControl: number;
  /** Bytes of write-ahead log. */
  readonly walBytes: number;
  /** Growth of all tables and their indexes, in bytes. */
  readonly tableBytes: number;
  /** Every statement with its calls and its time in milliseconds, planning included, the most frequent first. */
  readonly calls: readonly { readonly query: string; readonly calls: number; readonly ms: number }[];
}

/**
 * Counts the statements of all connections while `work` runs, with pg_stat_statements. Statements of triggers and functions
 * are not counted.
 * @param sql a connection of the server's owner
 */
export async function countStatements(sql: Sql, work: () => Promise<void>): Promise<StatementCounts> {
  const track = async (which: 'top' | 'none') => {
    await sql.unsafe(`ALTER SYSTEM SET pg_stat_statements.track = '${which}'`);
    await sql`SELECT pg_reload_conf()`;
    // Idle connections read the configuration with their next statement.
    await new Promise((resolve) => setTimeout(resolve, 500));
  };
  await sql`CREATE EXTENSION IF NOT EXISTS pg_stat_statements`;
  await sql`SELECT pg_stat_statements_reset()`;
  const before = await sizes(sql);
  await track('top');
  await work();
  const after = await sizes(sql);
  const calls = await sql<{ query: string; calls: number; ms: number }[]>`
    SELECT query, calls::int, total_exec_time + total_plan_time AS ms FROM pg_stat_statements WHERE query !~ 'pg_stat_statements|pg_reload_conf|pg_current_wal_insert_lsn'
    ORDER BY calls DESC`;
  await track('none');
  const sum = (isControl: boolean) =>
    calls
      .filter(({ query }) => /^\s*(BEGIN|COMMIT|ROLLBACK)/i.test(query) === isControl)
      .reduce((total, each) => total + each.calls, 0);
  return {
    statements: sum(false),
    transactionControl: sum(true),
    walBytes: after.wal - before.wal,
    tableBytes: after.tables - before.tables,
    calls,
  };
}

async function sizes(sql: Sql): Promise<{ readonly wal: number; readonly tables: number }> {
  const [row] = await sql<{ wal: number; tables: number }[]>`
    SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS wal,
      (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables)::float8 AS tables`;
  return row!;
}
