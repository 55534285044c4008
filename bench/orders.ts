import { startBareRuns } from './support/bare-runs';
import { withBenchStack } from './support/bench-stack';
import { alternate, ratioOf, runBenchmark } from './support/benchmark';
import { spreadOf } from './support/report';
import { startSimulatedShop } from './support/simulated-shop';

/**
 * Compares orders per second, from submission to shipped with labels, with a bare workflow that has the same commands and
 * empty bodies on the same server. Also measures the CPU time of this process, which other load affects less, and the
 * history events of one order up to shipped.
 */
runBenchmark({
  name: 'orders',
  options: {
    orders: [150, 'orders per round'],
    rounds: [5, 'rounds of each contestant'],
    atOnce: [30, 'concurrent orders'],
  },
  measure: async ({ orders, rounds, atOnce }) =>
    await withBenchStack({}, async (stack) => {
      const shop = await startSimulatedShop(stack);
      const bare = await startBareRuns(stack.services);
      const cpu: Record<'order' | 'bare', number[]> = { order: [], bare: [] };
      const runs = (what: 'order' | 'bare', run: typeof shop.run) => async () => {
        const before = process.cpuUsage();
        const rate = orders / (await run(orders, atOnce));
        const { user, system } = process.cpuUsage(before);
        cpu[what].push((user + system) / 1_000 / orders);
        return rate;
      };
      await shop.run(atOnce, atOnce);
      await bare.run(atOnce, atOnce);
      const rates = await alternate(rounds, 'runs per second', {
        order: runs('order', shop.run),
        bare: runs('bare', bare.run),
      });
      const events = await shop.historyEvents();
      const bareEvents = await bare.historyEvents();
      await bare.stop();
      await shop.stop();
      return [
        { what: 'order runs, submission to shipped', unit: '1/s', value: spreadOf(rates.order) },
        { what: 'bare workflow, same commands', unit: '1/s', value: spreadOf(rates.bare) },
        {
          what: 'ratio',
          unit: '',
          value: ratioOf(rates.order, rates.bare),
          target: { value: 0.9, atLeast: true },
        },
        { what: 'CPU per order: API, worker, shop, partners', unit: 'ms', value: spreadOf(cpu.order) },
        { what: 'CPU per bare run: worker and driver', unit: 'ms', value: spreadOf(cpu.bare) },
        {
          what: 'history events to shipped',
          unit: '',
          value: spreadOf([events]),
          target: { value: 60, atLeast: false },
        },
        { what: 'history events, bare', unit: '', value: spreadOf([bareEvents]) },
      ];
    }),
});
