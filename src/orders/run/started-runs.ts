import { setTimeout as sleep } from 'node:timers/promises';
import { orderIdOfWorkflow } from '../../platform/domain/workflows';
import type { StartedWorkflows } from '../../platform/outbox/temporal-delivery';
import type { Sql } from '../../platform/postgres';

/** Pause between two looks at the orders of a client whose starts have reached their limit. */
const LOOK_EVERY_MS = 100;
/** Time after which a run no longer counts while its files are fetched: it waits for another server. */
const LONGEST_FETCH_MS = 1_000;
/** Time after which a run no longer counts in any case: no worker may be there. */
const LONGEST_MS = 5_000;

interface StartedRun {
  readonly orderId: string;
  readonly startedAt: number;
  readonly end: () => void;
}

/**
 * Returns how long the started runs of orders count: until the order is planned or refused. The outbox relay starts a limited
 * number of a client's runs before that, so that the backlog of a client waits in the outbox, and not in the queues of
 * Temporal, which all clients share. Postgres is asked only while a client is at its limit.
 */
export function limitStartedRuns(sql: Sql, perClient: number): StartedWorkflows {
  const byClient = new Map<string, Set<StartedRun>>();
  let looking = false;

  const atLimit = () => [...byClient.values()].filter((runs) => runs.size >= perClient).flatMap((runs) => [...runs]);
  const look = async () => {
    looking = true;
    for (let runs = atLimit(); runs.length > 0; runs = atLimit()) {
      const rows = await sql<{ id: string; status: string }[]>`
        SELECT id, fulfillment_status AS status FROM orders
        WHERE id = ANY(${runs.map(({ orderId }) => orderId)}) AND fulfillment_status <> 'created'`.catch(() => []);
      const statuses = new Map(rows.map(({ id, status }) => [id, status]));
      for (const { orderId, startedAt, end } of runs) {
        const status = statuses.get(orderId);
        const isFetching = status === 'uploading' && performance.now() - startedAt < LONGEST_FETCH_MS;
        if (status !== undefined && !isFetching) end();
      }
      await sleep(LOOK_EVERY_MS, undefined, { ref: false });
    }
    looking = false;
  };

  return {
    perClient,
    async untilUncounted(workflowId, clientId) {
      const orderId = orderIdOfWorkflow(workflowId);
      if (orderId === null) return;
      const runs = byClient.get(clientId) ?? new Set();
      byClient.set(clientId, runs);
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const run = { orderId, startedAt: performance.now(), end };
      runs.add(run);
      if (runs.size >= perClient && !looking) void look();
      const timer = setTimeout(end, LONGEST_MS).unref();
      await promise;
      clearTimeout(timer);
      runs.delete(run);
      if (runs.size === 0) byClient.delete(clientId);
    },
  };
}
