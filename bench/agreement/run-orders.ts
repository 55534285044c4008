import { inParallel } from '../support/in-parallel';
import { seededRandom } from '../support/seeded-random';
import { type OrderReport, OrderRun } from './order-run';
import { generatedOrder } from './orders';
import type { World } from './world';

/** Runs generated orders. The number of an order and the seed give the same order and the same steps. */
export async function runOrders(
  world: World,
  {
    from,
    count,
    seed,
    atOnce,
  }: { readonly from: number; readonly count: number; readonly seed: number; readonly atOnce: number },
  tell: (report: OrderReport) => void = () => undefined,
): Promise<OrderReport[]> {
  const reports: OrderReport[] = [];
  await inParallel(count, atOnce, async (index) => {
    const number = from + index;
    const random = seededRandom(Math.imul(seed, 1_000_003) + number);
    const order = generatedOrder(random.fork(), number);
    const report = await new OrderRun(world, order, random, `agree-${seed}`).run();
    reports.push(report);
    tell(report);
  });
  return reports;
}

/** Returns a report in words. */
export const inWords = ({ number, steps, findings }: OrderReport): string =>
  [`order ${number}: ${steps.join('; ')}`, ...findings.map((finding) => `  ${finding}`)].join('\n');
