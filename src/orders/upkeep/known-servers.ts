import type { Client } from '@temporalio/client';
import { RECONCILIATION } from '../../platform/domain/periodic-jobs';
import type { Sql } from '../../platform/postgres';

/** What identifies the two servers. A value changes when a server is replaced, promoted, or restored to a point in time. */
export interface Servers {
  readonly namespaceId: string;
  readonly failoverVersion: string;
  readonly systemIdentifier: string;
  /** Begins with 1. Each promotion of a standby and each recovery to a point in time begins the next one. */
  readonly timeline: number;
}

export const HOLD_REASONS = {
  other_namespace: 'The Temporal namespace is not the one in which the orders run. An operator must confirm it.',
  outdated_postgres:
    'Postgres was restored from a backup that is older than the retention of Temporal, so a missing workflow may have ' +
    'completed. The next reconciliation flags open orders without a workflow, and ends the hold.',
} as const;
export type StartHold = keyof typeof HOLD_REASONS;

/** The servers that the workers know, and why no workflow starts. */
export interface KnownServers extends Servers {
  readonly hold: StartHold | null;
  readonly heldAt: Date | null;
  /** Orders that were accepted before are flagged, not started, when they have no workflow. */
  readonly restartsFrom: Date | null;
}

/** Returns the stored servers, or undefined before the first worker has started. */
export async function readKnownServers(sql: Sql): Promise<KnownServers | undefined> {
  const [row] = await sql<KnownServers[]>`
    SELECT namespace_id, failover_version, system_identifier, timeline, hold, held_at, restarts_from FROM known_servers`;
  return row;
}

/** The current servers, and how they differ from the stored ones. */
export interface CheckedServers {
  readonly servers: Servers;
  /** Which one is another server, or continues from an earlier state. */
  readonly changed: 'postgres' | 'temporal' | null;
  readonly hold: StartHold | null;
}

/**
 * Compares the servers with the stored ones, and holds back the starts of workflows when they could make orders again.
 * The first call stores the servers.
 * @throws the client's error when Temporal is unavailable
 */
export async function checkServers(sql: Sql, temporal: Client): Promise<CheckedServers> {
  const { servers: now, retentionSeconds } = await currentServers(sql, temporal);
  const stored = (await readKnownServers(sql)) ?? (await storeServers(sql, now));
  const isOtherNamespace = now.namespaceId !== stored.namespaceId;
  const isOtherPostgres = now.systemIdentifier !== stored.systemIdentifier || now.timeline !== stored.timeline;
  const changed = isOtherPostgres
    ? 'postgres'
    : isOtherNamespace || now.failoverVersion !== stored.failoverVersion
      ? 'temporal'
      : null;
  let { hold } = stored;
  // A connection to the known namespace again needs no confirmation.
  if (hold === 'other_namespace' && !isOtherNamespace) hold = null;
  if (hold === null && isOtherNamespace) hold = 'other_namespace';
  if (hold === null && (await isOutdated(sql, temporal, retentionSeconds, isOtherPostgres))) hold = 'outdated_postgres';
  if (hold !== stored.hold) await storeHold(sql, hold);
  return { servers: now, changed, hold };
}

/**
 * Returns true when Postgres is older than Temporal's retention, and Temporal knows a later reconciliation or Postgres is
 * another server than before. A stack that was stopped for so long is not outdated.
 */
async function isOutdated(sql: Sql, temporal: Client, retentionSeconds: number, isOtherPostgres: boolean) {
  const [last] = await sql<{ markedAt: Date }[]>`
    SELECT marked_at FROM reconciliation WHERE marked_at < now() - make_interval(secs => ${retentionSeconds})`;
  if (last === undefined) return false;
  if (isOtherPostgres) return true;
  const { count } = await temporal.workflow.count(
    `WorkflowType = '${RECONCILIATION.workflowType}' AND ExecutionStatus = 'Completed' AND CloseTime > '${last.markedAt.toISOString()}'`,
  );
  return count > 0;
}

/** Stores the servers that a reconciliation began with, and ends the hold whose orders it has flagged. */
export async function settleServers(sql: Sql, servers: Servers): Promise<void> {
  const { failoverVersion, systemIdentifier, timeline, namespaceId } = servers;
  await sql`
    UPDATE known_servers SET failover_version = ${failoverVersion}, system_identifier = ${systemIdentifier},
      timeline = ${timeline}, hold = NULL, held_at = NULL
    WHERE namespace_id = ${namespaceId} AND hold IS DISTINCT FROM 'other_namespace'`;
}

/**
 * Confirms the current servers: workflows start, also those of orders that were flagged because they had none.
 * @returns false when no start was held back
 */
export async function confirmServers(sql: Sql, temporal: Client): Promise<boolean> {
  const { namespaceId } = (await currentServers(sql, temporal)).servers;
  const confirmed = await sql`
    UPDATE known_servers SET namespace_id = ${namespaceId}, hold = NULL, held_at = NULL, restarts_from = NULL
    WHERE hold IS NOT NULL OR restarts_from IS NOT NULL`;
  return confirmed.count > 0;
}

/** Without a deadline, the client would retry an unavailable server for longer than a caller waits. */
const DEADLINE_MS = 5_000;

async function currentServers(sql: Sql, temporal: Client): Promise<{ servers: Servers; retentionSeconds: number }> {
  const [[postgres], namespace] = await Promise.all([
    sql<Pick<Servers, 'systemIdentifier' | 'timeline'>[]>`
      SELECT system_identifier::text, current_timeline() AS timeline FROM pg_control_system()`,
    temporal.withDeadline(Date.now() + DEADLINE_MS, () =>
      temporal.workflowService.describeNamespace({ namespace: temporal.options.namespace }),
    ),
  ]);
  return {
    servers: {
      ...postgres!,
      namespaceId: namespace.namespaceInfo!.id!,
      failoverVersion: String(namespace.failoverVersion ?? 0),
    },
    retentionSeconds: Number(namespace.config?.workflowExecutionRetentionTtl?.seconds ?? 0),
  };
}

async function storeServers(sql: Sql, servers: Servers): Promise<KnownServers> {
  const { namespaceId, failoverVersion, systemIdentifier, timeline } = servers;
  await sql`
    INSERT INTO known_servers (namespace_id, failover_version, system_identifier, timeline)
    VALUES (${namespaceId}, ${failoverVersion}, ${systemIdentifier}, ${timeline}) ON CONFLICT DO NOTHING`;
  return (await readKnownServers(sql))!;
}

async function storeHold(sql: Sql, hold: StartHold | null): Promise<void> {
  await sql`
    UPDATE known_servers SET hold = ${hold}, held_at = CASE WHEN ${hold}::text IS NOT NULL THEN now() END,
      restarts_from = CASE WHEN ${hold} = 'outdated_postgres' THEN now() ELSE restarts_from END`;
}

/** Time for which a process relies on a check. */
const CHECKED_FOR_MS = 10_000;

/** Returns a function that returns why no workflow starts, or null. It checks the servers at most every ten seconds. */
export function startHold(sql: Sql, temporal: Client): () => Promise<StartHold | null> {
  let last: { readonly at: number; readonly hold: Promise<StartHold | null> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > CHECKED_FOR_MS) {
      const hold = checkServers(sql, temporal).then((checked) => checked.hold);
      last = { at: now, hold };
      // A failed check is repeated with the next start.
      hold.catch(() => {
        last = undefined;
      });
    }
    return last.hold;
  };
}
