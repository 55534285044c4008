import { estimateRouting } from '../src/orders/planning/routing';
import { checkedRouting } from './routing/checked-routing';
import { AT, CARRIERS, simulatedOrder, simulatedPartners, WEIGHTS } from './routing/simulated-orders';
import { runBenchmark } from './support/benchmark';
import { type Row, spreadOf } from './support/report';
import { seededRandom } from './support/seeded-random';

/** Routes an order of each of these numbers of items to each of these numbers of partners. */
const LARGE = [
  [500, 8],
  [500, 60],
] as const;

/**
 * Routes orders over six countries and eight partners. Compares each with the best plan of one partner, counts orders that
 * routing alone gets refused, and measures the CPU time.
 */
runBenchmark({
  name: 'routing',
  options: { orders: [10_000, 'orders'], seed: [1, 'seed of the orders'] },
  measure: async ({ orders: count, seed }) => {
    const random = seededRandom(seed);
    const partners = simulatedPartners(8, random);
    const orders = Array.from({ length: count }, () => simulatedOrder(random));
    const checked = orders.map((order) => checkedRouting(order, partners));
    const cpuOf = (order: (typeof orders)[number], among: typeof partners): number => {
      const before = process.cpuUsage();
      estimateRouting(
        { carriers: CARRIERS, routingWeights: WEIGHTS },
        { order, items: order.items, partners: among, at: AT },
      );
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const excess = checked.flatMap(({ excessPercent }) => excessPercent ?? []);
    const counted = (what: string, holds: (one: (typeof checked)[number]) => boolean): Row => ({
      what,
      unit: 'orders',
      value: spreadOf([checked.filter(holds).length]),
    });
    const none = { value: 0, atLeast: false };
    process.stdout.write(
      `${checked
        .slice(0, 10)
        .map(({ why }) => why)
        .join('\n')}\n\n`,
    );
    return [
      {
        what: 'worst plan against the best one with one partner',
        unit: '%',
        value: spreadOf([Math.max(...excess)]),
        target: { value: 1, atLeast: false },
      },
      { ...counted('refused by the choice of routing', ({ isRefusedByChoice }) => isRefusedByChoice), target: none },
      { ...counted('not explained in one line', ({ why }) => why === '' || why.includes('\n')), target: none },
      counted('made by several partners', ({ isSplit }) => isSplit),
      {
        what: 'CPU of an order with 1 to 4 items, 8 partners',
        unit: 'ms',
        value: spreadOf(orders.map((order) => cpuOf(order, partners))),
      },
      ...LARGE.map(([items, among]) => ({
        what: `CPU of an order with ${items} items, ${among} partners`,
        unit: 'ms',
        value: spreadOf([cpuOf(simulatedOrder(random, items, items), simulatedPartners(among, random))]),
      })),
    ];
  },
});
