import { createPresslineClient } from '../client/pressline-client';
import { orderWorkflowId } from '../src/platform/domain/workflows';
import { runBenchmark } from './support/benchmark';
import { inParallel } from './support/in-parallel';
import { withBenchStack } from './support/processes/bench-stack';
import { type Row, spreadOf } from './support/report';
import { startSimulatedClient } from './support/simulated-client';

/** Time after which a missing order counts as stuck, even on a slow machine. */
const LONGEST_MS = 15 * 60_000;

/**
 * Submits many orders at once and verifies that each is accepted, has a workflow, is found by its id and its reference,
 * and ships.
 */
runBenchmark({
  name: 'thousand-orders',
  options: { orders: [1_000, 'orders'], connections: [50, 'concurrent clients'] },
  measure: async ({ orders, connections }) =>
    await withBenchStack({}, async (stack) => {
      const simulated = await startSimulatedClient(stack.credentials);
      const { sql, temporal } = stack.services;
      const { baseUrl, client } = stack.credentials;
      const reader = createPresslineClient({ baseUrl, ...client });

      const submitted: { id: string; orderReferenceId: string }[] = [];
      const latencies: number[] = [];
      const errors: unknown[] = [];
      const submitSeconds = await inParallel(orders, connections, async () => {
        const began = performance.now();
        try {
          submitted.push(await simulated.submit());
        } catch (error) {
          errors.push(error);
        }
        latencies.push(performance.now() - began);
      });
      process.stderr.write(`${submitted.length} submitted in ${submitSeconds.toFixed(1)} s\n`);

      const isFound = async (orderId: string, id: string) =>
        (await reader.getOrder({ params: { orderId } }).catch(() => null))?.id === id;
      let [byId, byReference] = [0, 0];
      await inParallel(submitted.length, connections, async (index) => {
        const { id, orderReferenceId } = submitted[index]!;
        if (await isFound(id, id)) byId += 1;
        if (await isFound(orderReferenceId, id)) byReference += 1;
      });

      const began = Date.now();
      let shipped = 0;
      while (shipped < submitted.length && Date.now() - began < LONGEST_MS) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        const [row] = await sql<{ count: number }[]>`
        SELECT count(*)::int FROM orders WHERE fulfillment_status = 'shipped'`;
        shipped = row!.count;
      }
      const [span] = await sql<{ seconds: number }[]>`
      SELECT extract(epoch FROM max(updated_at) - min(created_at))::float8 AS seconds FROM orders`;

      let runs = 0;
      await inParallel(submitted.length, connections, async (index) => {
        const run = await temporal.workflow
          .getHandle(orderWorkflowId(submitted[index]!.id))
          .describe()
          .catch(() => null);
        if (run !== null && run.type === 'order') runs += 1;
      });
      await simulated.stop();

      const count = (what: string, value: number, wanted: number): Row => ({
        what,
        unit: '',
        value: spreadOf([value]),
        target: { value: wanted, atLeast: wanted > 0 },
      });
      const complete = [submitted.length, runs, byId, byReference, shipped].every((value) => value === orders);
      if (!complete) {
        process.stderr.write(`not every order shipped: ${String(errors[0] ?? 'no request failed')}\n`);
        process.exitCode = 1;
      }
      return [
        count('orders accepted', submitted.length, orders),
        count('errors', errors.length, 0),
        count('workflows started', runs, orders),
        count('found by id', byId, orders),
        count('found by reference', byReference, orders),
        count('shipped', shipped, orders),
        { what: 'time to submit all', unit: 's', value: spreadOf([submitSeconds]) },
        { what: 'one submit', unit: 'ms', value: spreadOf(latencies) },
        { what: 'first submit to last shipped', unit: 's', value: spreadOf([span!.seconds]) },
      ];
    }),
});
