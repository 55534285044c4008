import { AsyncLocalStorage } from 'node:async_hooks';
import { isIP } from 'node:net';
import postgres from 'postgres';
import { around, ConnectionLimit, type PoolStates } from './connection-limit';
import { isTracing } from './tracing/spans';
import { traceStatements } from './tracing/sql-spans';

/** A connection pool. All SQL is written as tagged templates. */
export type Sql = postgres.Sql<{ bigint: string }>;
export type Transaction = postgres.TransactionSql<{ bigint: string }>;
/** What a store function runs its SQL on: the caller's transaction, or the pool. */
export type Queryable = Sql | Transaction;
export type PostgresError = postgres.PostgresError;
export type Fragment = postgres.Fragment;
/** A statement that runs when it is awaited, or as a part of another statement. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

const LONGEST_BACKOFF_SECONDS = 1;
/** Time after which a statement or transaction that waits for a free connection fails with the code `POOL_TIMEOUT`. */
const LONGEST_WAIT_MS = 10_000;
/**
 * Settings of every session. A connection sends them when it starts. Through a pooler in transaction mode it cannot, because
 * it shares its sessions: `migrate` makes them the defaults of the application's role.
 */
export const SESSION_SETTINGS = {
  statement_timeout: 60_000,
  /** Time in milliseconds after which Postgres ends a transaction that sends no statement, with its connection. */
  idle_in_transaction_session_timeout: 60_000,
  // Postgres plans prepared statements without knowing their LIMIT, and started parallel workers for pages of 50 rows:
  // 6 ms instead of 0.2 ms.
  max_parallel_workers_per_gather: 0,
} as const;

/**
 * Behind a pooler, a connection sends a statement after the end of the one before it. The driver asks for the parameter types of
 * a new statement first, without a Sync: when earlier statements end meanwhile, PgBouncer (1.18) gives the session to another
 * client, which then receives the answer. The statement waits for it for ever.
 */
const UNPIPELINED = { max_pipeline: 0 } as const;

/** Statement timeouts in milliseconds of pools that have their own, behind a pooler. `inTransaction` sets them. */
const pooledTimeouts = new WeakMap<Sql, number>();

const limits = new WeakMap<Sql, ConnectionLimit>();

/** Returns the address without the parameter `pooler`, and whether it was `transaction`. */
function poolerOf(url: string): { readonly address: string; readonly isPooled: boolean } {
  const address = new URL(url);
  const isPooled = address.searchParams.get('pooler') === 'transaction';
  address.searchParams.delete('pooler');
  return { address: address.href, isPooled };
}

/** Returns true when a connection URL leads to a pooler in transaction mode. */
export const isPooled = (url: string): boolean => poolerOf(url).isPooled;

/**
 * Opens a connection pool. With `?pooler=transaction` in the URL, its sessions are shared with others and no statement
 * needs one of its own; LISTEN and session locks need another pool. Column names are converted to camel case
 * (`created_at` to `createdAt`) and timestamps to Date. bigint and numeric are strings, so that ids and amounts of
 * money never become floats.
 */
export function connectPostgres(
  url: string,
  options: {
    readonly max?: number;
    readonly applicationName?: string;
    /** Timeout of a statement. Default: one minute. */
    readonly statementTimeoutMs?: number;
    /** Timeout of the wait for a free connection. Default: ten seconds. */
    readonly waitTimeoutMs?: number;
  } = {},
): Sql {
  const { address, isPooled } = poolerOf(url);
  const { statementTimeoutMs, max = 10 } = options;
  const own = statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs };
  const driver = postgres(address, {
    ...tlsOf(url),
    ...(isPooled ? UNPIPELINED : {}),
    max,
    idle_timeout: 60,
    connect_timeout: 10,
    max_lifetime: 60 * 60,
    // All connections of a pool share one failure count. With the driver's default back-off, a pool whose connections
    // were cut a few times stays disconnected for up to 20 seconds after the server is back.
    backoff: (failures) => Math.min(3 ** failures / 100, LONGEST_BACKOFF_SECONDS) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    transform: { column: { from: postgres.toCamel } },
    connection: {
      application_name: options.applicationName ?? 'pressline',
      ...(isPooled ? {} : { ...SESSION_SETTINGS, ...own }),
    },
  }) as unknown as Sql;
  const limit = new ConnectionLimit(max, options.waitTimeoutMs ?? LONGEST_WAIT_MS);
  const run = <T>(work: () => Promise<T>) => {
    assertNoTransaction();
    return limit.run(work);
  };
  const limited = around(driver, {
    statement: (_strings, send) => run(send),
    transaction: run,
    withinTransactions: false,
  });
  const pool = isTracing() ? traceStatements(limited) : limited;
  limits.set(pool, limit);
  if (isPooled && statementTimeoutMs !== undefined) pooledTimeouts.set(pool, statementTimeoutMs);
  return pool;
}

/** The driver would compare the certificate of a server that is named by its address with `localhost`. */
function tlsOf(url: string): { ssl?: object } {
  const { hostname, searchParams } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && searchParams.get('sslmode')?.startsWith('verify-') ? { ssl: { host } } : {};
}

export const poolStates = (sql: Sql): PoolStates => limits.get(sql)!.states();

/** Calls `observe` with the seconds of each wait for a free connection of a pool. A call replaces the previous one. */
export function onWaited(sql: Sql, observe: (seconds: number) => void): void {
  limits.get(sql)!.onWaited = observe;
}

/**
 * The transaction of the running code, in tests. Promise hooks cost every promise of a process time, so that production
 * does without.
 */
const current = process.env.NODE_ENV === 'test' ? new AsyncLocalStorage<{ isOpen: boolean }>() : undefined;

/**
 * Checks in tests that the calling code holds no transaction. Code that holds a connection and waits for a second one can
 * block its pool: once transactions hold all connections, none of them gets its second one.
 */
export function assertNoTransaction(): void {
  if (current?.getStore()?.isOpen) throw new Error('A second connection was requested inside a transaction.');
}

type CommitHook = (sql: Sql) => void;
const commitHooks = new WeakMap<Queryable, CommitHook[]>();

/** Runs the work of a transaction so that `assertNoTransaction` recognizes it until its end. */
async function marked<T>(transactions: NonNullable<typeof current>, work: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true };
  try {
    // A statement runs when it is awaited, also one that `work` returns.
    return await transactions.run(transaction, async () => await work());
  } finally {
    transaction.isOpen = false;
  }
}

/**
 * Runs `work` in one transaction and returns its result. Rolls back on any error. Transactions take locks in one order
 * (ARCHITECTURE.md). One that Postgres ends to resolve a deadlock all the same is repeated once: `work` changes nothing outside of
 * its transaction.
 */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await tryTransaction(sql, work);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== DEADLOCK) throw error;
    return await tryTransaction(sql, work);
  }
}

/** SQLSTATE deadlock_detected. */
const DEADLOCK = '40P01';

async function tryTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const hooks: CommitHook[] = [];
  const result = (await sql.begin((begun) => {
    const tx = begun as unknown as Transaction;
    commitHooks.set(tx, hooks);
    const timeoutMs = pooledTimeouts.get(sql);
    // Sent with the first statement of the transaction, which fails when this one does.
    if (timeoutMs !== undefined)
      tx`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute().catch(() => undefined);
    return current === undefined ? work(tx) : marked(current, () => work(tx));
  })) as T;
  for (const hook of hooks) hook(sql);
  return result;
}

/**
 * Calls `hook` with the pool when the transaction has committed: at once for a pool, whose statements are transactions of
 * their own. The call can be lost when the process ends after the commit.
 */
export function onCommit(queryable: Queryable, hook: CommitHook): void {
  if ('begin' in queryable) hook(queryable);
  else commitHooks.get(queryable)?.push(hook);
}

export function json(sql: Queryable, value: unknown): postgres.Parameter {
  return sql.json(value as postgres.JSONValue);
}

/** Returns the fields under the names of their columns: `fileName` as `file_name`. For `jsonb_populate_recordset`. */
export function columnsOf(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [postgres.fromCamel(name), value]));
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
const CONTENT_ERRORS = /^2[23]/;

/** Returns true when Postgres refuses a statement for its values. Repeating it seldom helps. */
export function refusesContent(error: unknown): error is PostgresError {
  return error instanceof postgres.PostgresError && CONTENT_ERRORS.test(error.code);
}

/** Returns true when the error is a violation of this unique constraint, or of any unique constraint by default. */
export function violatesUnique(error: unknown, constraint?: string): boolean {
  if (!(error instanceof postgres.PostgresError) || error.code !== '23505') return false;
  return constraint === undefined || error.constraint_name === constraint;
}

/** SQLSTATEs of a lock that a statement did not get: lock_not_available and deadlock_detected. */
const LOCKED = new Set(['55P03', DEADLOCK]);

/** Returns true when a statement did not get a lock that it needs. Another attempt may get it. */
export function isLockUnavailable(error: unknown): boolean {
  return LOCKED.has((error as { code?: string }).code ?? '');
}

/**
 * Runs `work` in a transaction whose statements take up to `mostMs` each. Postgres cancels the running one when the signal is
 * aborted: the caller has closed its connection, and a long read would go on for nobody.
 * @param sql connections that nothing waits for while they are all in use: the cancellation takes one of them
 */
export async function inCancellableTransaction<T>(
  sql: Sql,
  { signal, mostMs }: { readonly signal: AbortSignal; readonly mostMs: number },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let cancel = () => {};
  try {
    return await inTransaction(sql, async (tx) => {
      const [session] = await tx<{ pid: number; began: string }[]>`
        SELECT pg_backend_pid() AS pid, now()::text AS began, set_config('statement_timeout', ${String(mostMs)}, true)`;
      const { pid, began } = session!;
      // The session may have another transaction by then.
      cancel = () =>
        void sql`
          SELECT pg_cancel_backend(pid) FROM pg_stat_activity
          WHERE pid = ${pid} AND xact_start = ${began}::text::timestamptz`.catch(() => undefined);
      signal.addEventListener('abort', cancel, { once: true });
      signal.throwIfAborted();
      return await work(tx);
    });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns true when Postgres has canceled a statement: it took too long, or its caller is gone. */
export const isCanceled = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014';

/** The value of `presslinePatch` in patches/postgres+3.4.9.patch. Increase both when the patch changes. */
const PATCH = 6;

/** The installed Postgres driver lacks the patch. The message says how to apply it. */
export class DriverNotPatched extends Error {
  override readonly name = 'DriverNotPatched';
}

/**
 * Checks that the installed `postgres` package carries our patch. Without it a broken connection can end the process,
 * hang queries, or return the rows of another query (patches/README.md).
 * @throws DriverNotPatched
 */
export function assertPatchedDriver(driver: object = postgres): void {
  if ((driver as { presslinePatch?: unknown }).presslinePatch === PATCH) return;
  throw new DriverNotPatched(
    'The installed Postgres driver is not patched: npm\'s postinstall script has not run. Run "npm ci" without --ignore-scripts, or "npx patch-package".',
  );
}
