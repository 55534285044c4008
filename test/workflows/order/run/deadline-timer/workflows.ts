import { condition, sleep } from '@temporalio/workflow';
import type { Deadline } from '../../../../../src/orders/domain/lifecycle/rules/deadlines';
import { DeadlineTimer } from '../../../../../workflows/order/deadlines';

const notPrinted = (printOrderId: string, at: number): Deadline => ({
  kind: 'attention',
  reason: 'not_printed',
  printOrderId,
  at,
});

/**
 * Arms the timer for the deadline of print order 501, and in a later workflow task for that of 502.
 * @param dueMs milliseconds until the deadline of 501
 * @param laterMs milliseconds from the deadline of 501 to that of 502
 * @returns the print orders whose deadlines passed
 */
export async function armer(dueMs: number, laterMs: number): Promise<string[]> {
  const passed: string[] = [];
  const timer = new DeadlineTimer((deadline) => passed.push('printOrderId' in deadline ? deadline.printOrderId : ''));
  const at = Date.now() + dueMs;
  timer.arm(notPrinted('501', at));
  await sleep(1);
  timer.arm(notPrinted('502', at + laterMs));
  await condition(() => passed.includes('502'));
  return passed;
}
