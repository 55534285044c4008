import type { OrderRunInput, OrderRunResult } from '../../src/orders/domain/run/run-messages';
import { OrderRun } from './order-run';

/**
 * Workflow of one order from submission to its end: print files, plan, delivery to partners, postbacks, labels, tracking,
 * and operators' repairs. The workflow id is `order-<orderId>`.
 */
export async function order(input: OrderRunInput): Promise<OrderRunResult> {
  const run = new OrderRun(input);
  run.setHandlers();
  return await run.runToEnd();
}
