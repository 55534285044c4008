import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Postgrator from 'postgrator';
import postgres from 'postgres';
import type { Logger } from '../logging/logging';
import { isLockUnavailable, type Queryable } from '../postgres';
import { grantApplicationRole } from './application-role';
import { createPartitions, storePartitionedTables } from './partitioned-tables';
import { MIGRATIONS_DIR, SCHEMA_TABLE } from './schema-version';

/** Key of the advisory lock that migrating processes take. The number itself has no meaning. */
const MIGRATION_LOCK = 7_411_823_001;

/**
 * How long a statement waits for a lock. Every statement of the application that needs the same table queues behind the
 * waiting one, so this is also the longest pause that a migration causes.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** Pause between two attempts to get a lock, in milliseconds. The queue of the table empties meanwhile. */
const PAUSE_MS = 500;

/** A file that starts with this line runs outside a transaction, one statement after another. */
const OUTSIDE_TRANSACTION = /^--! no-transaction$/m;

/** Another transaction holds a lock that the migration needs. The message is for the user. */
export class MigrationBlocked extends Error {
  override readonly name = 'MigrationBlocked';
}

export interface MigrateOptions {
  /** Connection URL of the role that the application uses. It gets the rights on rows (application-role.ts). */
  readonly applicationUrl?: string | undefined;
  readonly logger?: Logger | undefined;
  /** How long to retry while other transactions hold the locks that a migration needs, in milliseconds. */
  readonly lockWaitMs?: number;
  readonly dryRun?: boolean;
  readonly folder?: string;
}

type Sql = postgres.Sql;

/** Returns true when the migrations have made partitioned tables. Those of tests do not. */
async function hasPartitions(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`SELECT to_regclass('partitioned_tables') IS NOT NULL AS found`;
  return row!.found;
}

/**
 * Migrates the database to the latest version. Migrations run in one transaction, so a process that is killed leaves the
 * previous version. Files with the line `--! no-transaction` run between two transactions. Several processes can call this
 * at the same time: an advisory lock lets one migrate, and the others wait and then find nothing to do.
 * @returns the names of the migrations that ran
 * @throws MigrationBlocked when the locks are not available within `lockWaitMs`
 * @throws Error when the file of an applied migration has changed; files are compared by checksum
 */
export async function migrate(ownerUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { applicationUrl, logger, lockWaitMs = 300_000 } = options;
  // One separate connection holds the advisory lock and migrates. The pool of the application renames columns.
  const sql = postgres(ownerUrl, {
    max: 1,
    max_lifetime: null,
    // Migrations warn about each row whose meaning changes.
    onnotice: ({ severity, message }) => {
      if (severity === 'WARNING') logger?.warn(message);
    },
    connection: {
      application_name: 'pressline-migrate',
      statement_timeout: 0,
      lock_timeout: LOCK_TIMEOUT_MS,
    },
  });
  try {
    const migration = new Migration(sql, options.folder ?? MIGRATIONS_DIR, Date.now() + lockWaitMs, logger);
    if (options.dryRun) return await migration.rehearse();
    const applied = await migration.run();
    if (await hasPartitions(sql)) {
      await sql.begin((tx) => storePartitionedTables(tx as unknown as Queryable));
      await createPartitions(sql as unknown as Queryable);
    }
    if (applicationUrl !== undefined) await grantApplicationRole(sql, applicationUrl);
    return applied;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Consecutive migrations that run in one transaction, or one migration that runs outside a transaction. */
interface Batch {
  readonly transactional: boolean;
  readonly migrations: Postgrator.Migration[];
}

const namesOf = (batches: readonly Batch[]) => batches.flatMap(({ migrations }) => migrations.map(({ name }) => name));
const targetOf = ({ migrations }: Batch) => String(migrations.at(-1)!.version);

const queryOn = (sql: Pick<Sql, 'unsafe'>) => async (text: string) => ({
  rows: [...(await sql.unsafe(text).simple())] as never[],
});

/** An operator can build an index of a pending migration in advance, under its name (docs/operation/upgrades.md). */
const acceptBuiltIndexes = (text: string) =>
  text.replace(/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY|IF NOT EXISTS)/gm, 'CREATE $1INDEX IF NOT EXISTS ');

const withoutConcurrency = (text: string) => text.replace(/^((?:CREATE (?:UNIQUE )?|DROP )INDEX) CONCURRENTLY/gm, '$1');

/** One run of the pending migrations on one connection. */
class Migration {
  constructor(
    private readonly sql: Sql,
    private readonly folder: string,
    /** Time in milliseconds after which it waits for no lock any more. */
    private readonly deadline: number,
    private readonly logger: Logger | undefined,
  ) {}

  async run(): Promise<string[]> {
    await this.takeLock();
    const batches = await this.pendingBatches();
    if (batches.length > 0) await this.dropUnfinishedIndexes();
    for (const batch of batches) {
      if (batch.transactional) await this.runInTransaction(batch);
      else await this.runOutsideTransaction(batch);
      for (const { version, name } of batch.migrations) this.logger?.info({ version, name }, 'migration applied');
    }
    return namesOf(batches);
  }

  /** Runs the migrations in one transaction and rolls it back. Indexes are built inside it, and block writes meanwhile. */
  async rehearse(): Promise<string[]> {
    class Undo extends Error {}
    await this.takeLock();
    const batches = await this.pendingBatches();
    const last = batches.at(-1);
    if (last === undefined) return [];
    await this.retryWhileLocked(() =>
      this.sql
        .begin(async (tx) => {
          const query = queryOn(tx);
          await this.postgrator(query, async (text) => {
            await query(acceptBuiltIndexes(withoutConcurrency(text)));
          }).migrate(targetOf(last));
          throw new Undo();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undo)) throw error;
        }),
    );
    return namesOf(batches);
  }

  private postgrator(
    execQuery: (text: string) => Promise<{ rows: never[] }>,
    execSqlScript: (text: string) => Promise<void>,
  ) {
    const migrationPattern = join(this.folder, '*.sql');
    return new Postgrator({
      driver: 'pg',
      migrationPattern,
      schemaTable: SCHEMA_TABLE,
      execQuery,
      execSqlScript,
    });
  }

  /** @throws Error when the file of an applied migration has changed */
  private async pendingBatches(): Promise<Batch[]> {
    const postgrator = this.postgrator(queryOn(this.sql), async () => undefined);
    const files = await postgrator.getMigrations();
    const version = await postgrator.getDatabaseVersion();
    await postgrator.validateMigrations(version);
    const batches: Batch[] = [];
    for (const migration of files.sort((a, b) => a.version - b.version)) {
      if (migration.version <= version) continue;
      const transactional = !OUTSIDE_TRANSACTION.test(migration.getSql());
      const last = batches.at(-1);
      if (transactional && last?.transactional) last.migrations.push(migration);
      else batches.push({ transactional, migrations: [migration] });
    }
    return batches;
  }

  private async runInTransaction(batch: Batch): Promise<void> {
    await this.retryWhileLocked(() =>
      this.sql.begin(async (tx) => {
        // The session has this lock already, unless its connection was replaced.
        await tx`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
        const query = queryOn(tx);
        await this.postgrator(query, async (text) => {
          await query(acceptBuiltIndexes(text));
        }).migrate(targetOf(batch));
      }),
    );
  }

  /** Runs a file statement by statement. Each statement can be repeated, because a killed process leaves the file half done. */
  private async runOutsideTransaction(batch: Batch): Promise<void> {
    const query = queryOn(this.sql);
    await this.retryWhileLocked(async () => {
      await this.takeLock();
      await this.dropUnfinishedIndexes();
      // CREATE INDEX CONCURRENTLY waits for every older transaction, and blocks none.
      await query('SET lock_timeout = 0');
      try {
        await this.postgrator(query, async (text) => {
          for (const statement of statementsOf(text)) await query(statement);
        }).migrate(targetOf(batch));
      } finally {
        await query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
      }
    });
  }

  /**
   * Takes the advisory lock for the session. Polls, because a waiting statement has a snapshot, and CREATE INDEX
   * CONCURRENTLY of the process that holds the lock would wait for that snapshot.
   */
  private async takeLock(): Promise<void> {
    for (;;) {
      const [row] = await this.sql<{ taken: boolean }[]>`
        SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS taken`;
      if (row!.taken) return;
      if (Date.now() > this.deadline) throw new MigrationBlocked('Another process is still migrating the database.');
      await sleep(PAUSE_MS);
    }
  }

  /**
   * Drops invalid indexes: CREATE INDEX CONCURRENTLY leaves one when it fails, and IF NOT EXISTS takes it for the index.
   * Waits for an index that another session is still building.
   */
  private async dropUnfinishedIndexes(): Promise<void> {
    for (;;) {
      const indexes = await this.sql<{ name: string; building: boolean }[]>`
        SELECT i.indexrelid::regclass::text AS name,
               EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid) AS building
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace`;
      for (const { name, building } of indexes) {
        if (building) continue;
        this.logger?.warn({ index: name }, 'dropping an index whose build was interrupted');
        await this.sql.unsafe(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      }
      const built = indexes.filter(({ building }) => building).map(({ name }) => name);
      if (built.length === 0) return;
      if (Date.now() > this.deadline)
        throw new MigrationBlocked(`Another session is still building ${built.join(', ')}.`);
      await sleep(PAUSE_MS);
    }
  }

  /** Repeats `attempt` while another transaction holds a lock that it needs. */
  private async retryWhileLocked(attempt: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await attempt();
        return;
      } catch (error) {
        if (!isLockUnavailable(error)) throw error;
        this.logger?.warn({ reason: (error as Error).message }, 'the migration waits for a lock');
        if (Date.now() > this.deadline) throw new MigrationBlocked(await blockedMessage(this.sql));
      }
      await sleep(PAUSE_MS * (1 + Math.random()));
    }
  }
}

/** Returns the statements of a file. Each one ends with a semicolon at the end of a line. */
export const statementsOf = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

async function blockedMessage(sql: Sql): Promise<string> {
  const open = await sql<{ pid: number; name: string; seconds: string }[]>`
    SELECT pid, application_name AS name, extract(epoch FROM now() - xact_start)::int::text AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
    ORDER BY xact_start LIMIT 3`;
  const oldest = open.map(({ pid, name, seconds }) => `process ${pid} (${name}, ${seconds} s)`);
  return `The migration did not get its locks in time. Oldest open transactions: ${oldest.join(', ') || 'none'}.`;
}
