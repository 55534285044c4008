import { orderWorkflowId } from '../src/platform/domain/workflows';
import type { Sql } from '../src/platform/postgres';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { withBenchStack } from './support/processes/bench-stack';
import { spreadOf } from './support/report';
import { startSimulatedClient } from './support/simulated-client';

/** Workflows that the worker caches. Far fewer than the open runs, so that a signal meets a run that is not cached. */
const CACHED = 100;
/** Runs that are signalled together. They stay in the cache for their second signal. */
const BATCH = 50;

interface OpenRun {
  readonly orderId: string;
  readonly printOrderId: string;
}

/**
 * Signals open order runs that are not in the worker's cache, and then, as a baseline, the same runs again while they are.
 * The runs are real: submitted over HTTP, planned, and accepted by a partner. Prints the CPU time of this process for each
 * signal, and the history events that the worker reads to replay a run.
 */
runBenchmark({
  name: 'cold-signals',
  options: {
    runs: [10_000, 'open order runs, each signalled twice'],
    atOnce: [30, 'concurrent submissions'],
  },
  measure: async ({ runs, atOnce }) =>
    await withBenchStack({ WORKER_CACHED_WORKFLOWS: CACHED, RECEIVED_DEADLINE: 7 * 86_400_000 }, async (stack) => {
      const { sql, temporal } = stack.services;
      const client = await startSimulatedClient(stack.credentials, { produces: false });
      const submitSeconds = await inParallel(runs, atOnce, async () => void (await client.submit()));
      const open = await acceptedRuns(sql, runs);
      process.stderr.write(`${open.length} runs wait for a postback, ${submitSeconds.toFixed(0)} s\n`);

      const lengths: number[] = [];
      await inParallel(200, 10, async (index) => {
        const run = open[Math.floor((index * open.length) / 200)];
        if (run === undefined) return;
        lengths.push((await temporal.workflow.getHandle(orderWorkflowId(run.orderId)).describe()).historyLength);
      });

      const signal = async (batch: readonly OpenRun[], status: 'received' | 'printed') => {
        const before = process.cpuUsage();
        const began = performance.now();
        await Promise.all(
          batch.map(({ orderId, printOrderId }) =>
            temporal.workflow.getHandle(orderWorkflowId(orderId)).signal('postback', {
              type: 'postback',
              eventId: `${printOrderId}${status === 'received' ? 1 : 2}`,
              printOrderId,
              status,
              at: new Date().toISOString(),
              message: null,
              jobId: null,
              items: null,
              trackingCode: null,
              trackingLink: null,
            }),
          ),
        );
        await allOrders(sql, batch, status === 'received' ? 'in_production' : 'printed');
        const { user, system } = process.cpuUsage(before);
        return {
          cpu: (user + system) / 1_000 / batch.length,
          wall: (performance.now() - began) / batch.length,
        };
      };
      const cold: { cpu: number; wall: number }[] = [];
      const warm: { cpu: number; wall: number }[] = [];
      // Oldest first. The runs that were submitted last are still cached.
      const uncached = open.slice(0, Math.max(BATCH, open.length - 2 * CACHED));
      for (let from = 0; from + BATCH <= uncached.length; from += BATCH) {
        const batch = uncached.slice(from, from + BATCH);
        cold.push(await signal(batch, 'received'));
        warm.push(await signal(batch, 'printed'));
      }
      await client.stop();
      const cpuOf = (list: readonly { cpu: number }[]) => list.map(({ cpu }) => cpu);
      const wallOf = (list: readonly { wall: number }[]) => list.map(({ wall }) => wall);
      return [
        { what: 'open runs in Temporal', unit: '', value: spreadOf([open.length]) },
        { what: 'signals to runs that are not cached', unit: '', value: spreadOf([cold.length * BATCH]) },
        { what: 'CPU for a signal, not cached', unit: 'ms', value: spreadOf(cpuOf(cold)) },
        { what: 'CPU for a signal, cached', unit: 'ms', value: spreadOf(cpuOf(warm)) },
        {
          what: 'CPU, not cached against cached',
          unit: 'ratio',
          value: spreadOf(cold.map(({ cpu }, index) => cpu / warm[index]!.cpu)),
        },
        { what: 'events read for a signal, not cached', unit: '', value: spreadOf(lengths) },
        { what: 'time for a signal, not cached', unit: 'ms', value: spreadOf(wallOf(cold)) },
        { what: 'time for a signal, cached', unit: 'ms', value: spreadOf(wallOf(warm)) },
      ];
    }),
});

/** Waits until partners have accepted the print orders of all orders. Returns them in the order of submission. */
async function acceptedRuns(sql: Sql, count: number): Promise<OpenRun[]> {
  for (;;) {
    const rows = await sql<OpenRun[]>`
      SELECT order_id, id::text AS print_order_id FROM print_orders WHERE status = 'accepted' ORDER BY id`;
    if (rows.length >= count) return [...rows];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function allOrders(sql: Sql, runs: readonly OpenRun[], status: string): Promise<void> {
  const ids = runs.map(({ orderId }) => orderId);
  for (;;) {
    const [row] = await sql<{ count: number }[]>`
      SELECT count(*)::int FROM orders WHERE id = ANY(${ids}::uuid[]) AND fulfillment_status = ${status}`;
    if (row!.count === ids.length) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
