import postgres from 'postgres';
import type { Logger } from './logging';

/** A pool of connections; tagged templates are the only way SQL is written. */
export type Sql = postgres.Sql<{ bigint: string }>;
/** One open transaction. */
export type Transaction = postgres.TransactionSql<{ bigint: string }>;
/** Where a store function runs: in a transaction of the caller's, or by itself. */
export type Queryable = Sql | Transaction;

const LONGEST_BACKOFF_SECONDS = 1;

/**
 * Opens a pool. Columns come back camelCased (`created_at` as `createdAt`), timestamps as Date,
 * bigint as decimal string, numeric as string: money and ids never pass through a float.
 */
export function connectPostgres(
  url: string,
  options: { readonly max?: number; readonly applicationName?: string } = {},
): Sql {
  return postgres(url, {
    max: options.max ?? 10,
    idle_timeout: 60,
    connect_timeout: 10,
    max_lifetime: 60 * 60,
    // All connections count their failures together: by the driver's own rule a pool whose connections were cut a few
    // times is away for 20 seconds when the server has long been back.
    backoff: (failures) => Math.min(3 ** failures / 100, LONGEST_BACKOFF_SECONDS) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    transform: { column: { from: postgres.toCamel } },
    connection: {
      application_name: options.applicationName ?? 'pressline',
      statement_timeout: 60_000,
      // Prepared statements are planned without knowing their LIMIT, and helpers were started for pages of 50 rows
      // that one process reads at once: 6 ms against 0.2.
      max_parallel_workers_per_gather: 0,
    },
  }) as unknown as Sql;
}

/** A server that is coming up answers within this, crash recovery and all. */
const COMES_UP_WITHIN_MS = 60_000;
const ASK_AGAIN_MS = 500;
/** A wrong user or password, a database that is not there: waiting mends neither. */
const NEVER_MENDS = /^(28|3D)/;

/**
 * Waits for a server that is being started, or started again.
 * @throws what the server said last, when it is not there after a minute or lets nobody in
 */
export async function untilPostgresAnswers(url: string, log: Logger): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 5, connection: { application_name: 'pressline' } });
  const end = Date.now() + COMES_UP_WITHIN_MS;
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        await sql`SELECT 1`;
        return;
      } catch (error) {
        const { code = '', message } = error as { code?: string; message: string };
        if (Date.now() > end || NEVER_MENDS.test(code)) throw error;
        if (tries === 1) log.warn({ reason: message }, 'Postgres is not there yet');
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Runs `work` in one transaction and gives its result; rolls back on any error. */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return (await sql.begin((tx) => work(tx as unknown as Transaction))) as T;
}

/** A value for a jsonb column or parameter. */
export function json(sql: Queryable, value: unknown): postgres.Parameter {
  return sql.json(value as postgres.JSONValue);
}

/** Whether an error is Postgres refusing a duplicate of this unique constraint. */
export function violatesUnique(error: unknown, constraint?: string): boolean {
  if (!(error instanceof postgres.PostgresError) || error.code !== '23505') return false;
  return constraint === undefined || error.constraint_name === constraint;
}
