import { execFile } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RECONCILIATION } from '../../src/platform/domain/periodic-jobs';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { scheduleId } from '../../src/platform/temporal/periodic-jobs';
import type { Reconciliation } from '../../workflows/reconcile';
import { type Client, ordersNotIn, untilOrdersAre } from './orders';
import { postgresTools } from './programs';
import type { StepResult } from './step';
import { TEMPORAL_DATABASES } from './temporal-server';
import type { Topology } from './topology';

const run = promisify(execFile);

/** Orders that are in production during the backup. Their partner prints this long. */
const PRINTING_MS = 20_000;
const IN_PRODUCTION = ['in_production', 'delivered'];
/** Orders that are submitted after a restore. */
const LATER_ORDERS = 5;
/** After a loss, a reconciliation leaves out orders that changed in the last minute. */
export const QUIET_MS = 65_000;

/** Runs pg_dump or pg_restore. The password is not visible in the list of processes. */
async function postgresTool(name: 'pg_dump' | 'pg_restore', url: string, args: readonly string[]) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const env = { PATH: process.env.PATH, PGPASSWORD: decodeURIComponent(password) };
  const connection = ['--host', hostname, '--port', port, '--username', username];
  const major = await withOwner(url, async (sql) => {
    const [row] = await sql<{ version: string }[]>`SELECT current_setting('server_version') AS version`;
    return Number.parseInt(row!.version, 10);
  });
  const program = join(await postgresTools(major), name);
  await run(program, [...connection, '--dbname', pathname.slice(1), ...args], {
    env,
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
  });
}

export async function withOwner<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connectPostgres(url, { max: 1, applicationName: 'rehearsal-owner' });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function backUp(topology: Topology, database: string, url: string): Promise<string> {
  const folder = join(topology.folder, 'backups');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${database}.dump`);
  await postgresTool('pg_dump', url, ['--format=custom', `--file=${file}`]);
  return file;
}

async function megabytes(files: readonly string[]): Promise<string> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return `${(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)} MB`;
}

/**
 * Triggers a reconciliation with the Temporal CLI. The scheduled one runs every five minutes, so a backup is seldom restored without
 * one since.
 * @returns its counts
 */
export async function reconcile({ temporalCli, temporalClient }: Topology): Promise<Reconciliation> {
  const id = scheduleId({ TEMPORAL_TASK_QUEUE: 'pressline' }, RECONCILIATION);
  const schedule = temporalClient.schedule.getHandle(id);
  const before = (await schedule.describe()).info.numActionsTaken;
  await temporalCli('schedule', 'trigger', '--schedule-id', id);
  for (;;) {
    const { numActionsTaken, recentActions } = (await schedule.describe()).info;
    const last = recentActions.at(-1);
    if (numActionsTaken > before && last !== undefined) {
      const { workflowId } = last.action.workflow;
      return (await temporalClient.workflow.getHandle(workflowId).result()) as Reconciliation;
    }
    await sleep(200);
  }
}

/** Returns the non-zero counts of reconciliations. */
export function found(results: readonly Reconciliation[]): string {
  const sums = new Map<string, number>();
  for (const { found: counts } of results)
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  const texts = [...sums].filter(([, count]) => count > 0).map(([name, count]) => `${name} ${count}`);
  return `${results.length} reconciliations: ${texts.join(', ') || 'nothing found'}`;
}

/** Returns the number of print orders that partners have, and those that came with different contents. */
async function printOrders(topology: Topology) {
  const { partners } = await topology.seen();
  const all = Object.values(partners).flatMap((partner) => partner.printOrders);
  return {
    count: all.length,
    changed: all.filter(({ distinctContents }) => distinctContents > 1).map(({ printOrderId }) => printOrderId),
  };
}

/** Submits orders and waits until their partners produce them. */
async function bringIntoProduction(topology: Topology, client: Client, count: number): Promise<string[]> {
  await client.submitAll(client.plan(count, `prints-slowly=${PRINTING_MS}`), 10);
  return await untilInProduction(topology);
}

async function untilInProduction(topology: Topology): Promise<string[]> {
  for (const deadline = Date.now() + 120_000; ; await sleep(200)) {
    const waiting = await ordersNotIn(topology, IN_PRODUCTION);
    if (waiting.length === 0) return [];
    if (Date.now() > deadline)
      return waiting.map(({ reference, status }) => `${reference} was not in production: ${status}`);
  }
}

async function stopPressline({ apis, workers }: Topology): Promise<void> {
  await Promise.all([...apis, ...workers].map((service) => service.stop()));
}

async function startPressline({ apis, workers }: Topology): Promise<void> {
  for (const service of [...workers, ...apis]) await service.start();
}

/**
 * Reconciles each minute until every order is delivered, and then submits more orders.
 * @param before print orders before the restore: a restore must not make one twice
 */
async function recover(
  topology: Topology,
  client: Client,
  before: { readonly count: number },
): Promise<{ readonly results: Reconciliation[]; readonly findings: readonly string[] }> {
  await sleep(QUIET_MS);
  const results = [await reconcile(topology)];
  const stuck = await untilOrdersAre(topology, ['delivered'], {
    everyMinute: async () => {
      results.push(await reconcile(topology));
    },
  });
  const after = await printOrders(topology);
  const findings = [...stuck];
  if (after.count !== before.count)
    findings.push(`partners have ${after.count} print orders after the restore, and had ${before.count}`);
  findings.push(...after.changed.map((id) => `print order ${id} came with different contents`));
  const attention = await topology.sql<{ reference: string; attention: string }[]>`
    SELECT order_reference_id AS reference, array_to_string(attention, ' ') AS attention
    FROM orders WHERE attention <> '{}'`;
  findings.push(...attention.map(({ reference, attention: reasons }) => `${reference} needs attention: ${reasons}`));
  const failedBefore = client.failedCalls.length;
  await client.submitAll(client.plan(LATER_ORDERS), LATER_ORDERS);
  findings.push(...client.failedCalls.slice(failedBefore));
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));
  return { results, findings };
}

/**
 * Backs up Pressline's database while orders are in production, lets these orders end, and restores the backup beside the newer
 * Temporal, by the steps of docs/operation/backup-and-recovery.md.
 */
export async function restorePostgres(topology: Topology, client: Client, count: number): Promise<StepResult> {
  const findings = await bringIntoProduction(topology, client, count);
  const backup = await backUp(topology, 'pressline', topology.ownerUrl());
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));
  const earlier = await reconcile(topology);
  const before = await printOrders(topology);

  await stopPressline(topology);
  await withOwner(new URL('/postgres', topology.ownerUrl()).href, async (owner) => {
    await owner.unsafe('DROP DATABASE pressline WITH (FORCE)');
    await owner.unsafe('CREATE DATABASE pressline');
  });
  await postgresTool('pg_restore', topology.ownerUrl(), [backup]);
  await topology.pressline(['migrate']);
  await withOwner(topology.ownerUrl(), async (owner) => {
    await owner`SELECT advance_sequences()`;
    await owner`DELETE FROM reconciliation`;
  });
  const behind = (await ordersNotIn(topology, ['delivered'])).length;
  if (behind !== count) findings.push(`the restore took ${behind} orders back, not ${count}`);
  await startPressline(topology);
  const { results, findings: later } = await recover(topology, client, before);
  return {
    counts: [
      `backup ${await megabytes([backup])}`,
      `${behind} orders went back to production and were delivered again`,
      found([earlier, ...results]),
      `${LATER_ORDERS} orders submitted and delivered afterwards`,
    ],
    findings: [...findings, ...later],
  };
}

/**
 * Backs up Temporal's databases while orders are in production, lets these orders end, and restores the backup beside the newer
 * Postgres.
 */
export async function restoreTemporal(topology: Topology, client: Client, count: number): Promise<StepResult> {
  const { temporal } = topology;
  const findings = await bringIntoProduction(topology, client, count);
  const backups: string[] = [];
  for (const database of TEMPORAL_DATABASES)
    backups.push(await backUp(topology, database, temporal.databaseUrl(database)));
  findings.push(...(await untilOrdersAre(topology, ['delivered'])));
  const earlier = await reconcile(topology);
  const before = await printOrders(topology);

  await stopPressline(topology);
  await temporal.server.stop();
  await withOwner(temporal.databaseUrl('postgres'), async (owner) => {
    for (const database of TEMPORAL_DATABASES) {
      await owner.unsafe(`DROP DATABASE ${database}`);
      await owner.unsafe(`CREATE DATABASE ${database} OWNER temporal`);
    }
  });
  for (const [index, database] of TEMPORAL_DATABASES.entries())
    await postgresTool('pg_restore', temporal.databaseUrl(database), [backups[index]!]);
  await temporal.server.start();
  await startPressline(topology);
  const { results, findings: later } = await recover(topology, client, before);
  const running = await untilWorkflowsEnd(topology, results);
  findings.push(...running);
  return {
    counts: [
      `backup ${await megabytes(backups)}`,
      `${count} workflows went back to production, ${count - running.length} ended again`,
      found([earlier, ...results]),
      `${LATER_ORDERS} orders submitted and delivered afterwards`,
    ],
    findings: [...findings, ...later],
  };
}

/** A reconciliation that does not know of the loss leaves out orders that changed in the last ten minutes. */
export const SETTLED_WITHIN_MS = 13 * 60_000;

/**
 * Reconciles each minute until no order workflow runs. @returns those that still run
 * @param results gets the results of the reconciliations
 */
async function untilWorkflowsEnd(topology: Topology, results: Reconciliation[]): Promise<string[]> {
  const query = `WorkflowType = 'order' AND ExecutionStatus = 'Running'`;
  const deadline = Date.now() + SETTLED_WITHIN_MS;
  for (let next = Date.now() + 60_000; ; await sleep(2_000)) {
    const running: string[] = [];
    for await (const { workflowId } of topology.temporalClient.workflow.list({ query })) running.push(workflowId);
    if (running.length === 0) return [];
    if (Date.now() > deadline) return running.map((id) => `${id} still runs after the restore`);
    if (Date.now() > next) {
      next += 60_000;
      results.push(await reconcile(topology));
    }
  }
}
