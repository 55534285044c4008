import { inWords, runOrders } from './agreement/run-orders';
import { openWorld } from './agreement/world';
import { runBenchmark } from './support/benchmark';
import { withBenchStack } from './support/processes/bench-stack';
import { type Row, spreadOf } from './support/report';

/**
 * Takes generated orders through second and third steps, and compares after each what the order costs with its receipts, the
 * parcels with their papers, and what is wanted with what partners were told. `--from` and `--orders 1` run one order again.
 */
runBenchmark({
  name: 'agreement',
  options: {
    orders: [2_000, 'orders'],
    seed: [1, 'seed of the orders and their steps'],
    from: [1, 'number of the first order'],
    atOnce: [8, 'orders at the same time'],
  },
  measure: async ({ orders: count, seed, from, atOnce }) =>
    await withBenchStack({}, async (stack) => {
      const world = await openWorld(stack.credentials.baseUrl, stack.credentials);
      process.stderr.write(`seed ${seed}\n`);
      let done = 0;
      const reports = await runOrders(world, { from, count, seed, atOnce }, (report) => {
        done += 1;
        if (report.findings.length > 0 || count === 1) process.stderr.write(`${inWords(report)}\n`);
        if (done % 50 === 0) process.stderr.write(`${done} orders\n`);
      });
      await world.desk.stop();
      const counted = (what: string, holds: (report: (typeof reports)[number]) => boolean): Row => ({
        what,
        unit: 'orders',
        value: spreadOf([reports.filter(holds).length]),
      });
      const differing = counted('that do not agree', ({ findings }) => findings.length > 0);
      const withStep = (word: string) =>
        counted(`with a step "${word}"`, ({ steps }) => steps.some((step) => step.includes(word)));
      return [
        { ...differing, target: { value: 0, atLeast: false } },
        counted('run', () => true),
        withStep('refused'),
        withStep(' and '),
        withStep('cancels'),
        withStep('change to'),
        withStep('rerouted'),
        withStep('shipped'),
        withStep('new file'),
      ];
    }),
});
