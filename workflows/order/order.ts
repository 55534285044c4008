import type { OrderRunInput, OrderRunResult } from '../../src/orders/domain/run/run-messages';
import { OrderRun } from './order-run';

/**
 * One order from submission to its end: files, plan, handover to partners, their postbacks, labels,
 * tracking, and an operator's repairs in between. Workflow id `order-<orderId>`.
 */
export async function order(input: OrderRunInput): Promise<OrderRunResult> {
  const run = new OrderRun(input);
  run.listen();
  return await run.toItsEnd();
}
