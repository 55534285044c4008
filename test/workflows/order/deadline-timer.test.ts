import type { Deadline } from '../../../src/orders/domain/lifecycle/deadlines';
import { DeadlineTimer } from '../../../workflows/order/deadline-timer';

/** The timer outside a workflow: `fire` ends the sleep that was started last. */

const timers: (() => void)[] = [];
jest.mock('@temporalio/workflow', () => ({
  CancellationScope: class {
    cancelled = false;
    run = async (work: () => Promise<void>) => await work();
    cancel() {
      this.cancelled = true;
    }
  },
  isCancellation: () => false,
  sleep: () => new Promise<void>((resolve) => timers.push(resolve)),
}));

const fire = async () => {
  timers.at(-1)!();
  await new Promise(setImmediate);
};

const at = Date.now() + 60_000;
const notPrinted = (printOrderId: string): Deadline => ({
  kind: 'attention',
  reason: 'not_printed',
  printOrderId,
  at,
});

test('the timer of a deadline that was met passes the next one of the same time', async () => {
  const passed: Deadline[] = [];
  const timer = new DeadlineTimer((deadline) => passed.push(deadline));
  timer.arm(notPrinted('501'));
  // The partner of 501 has printed. The one of 502 has the same dispatch date.
  timer.arm(notPrinted('502'));
  expect(timers).toHaveLength(1);
  await fire();
  expect(passed).toEqual([notPrinted('502')]);
});

test('another time needs another timer', async () => {
  const passed: Deadline[] = [];
  const timer = new DeadlineTimer((deadline) => passed.push(deadline));
  timers.length = 0;
  timer.arm(notPrinted('501'));
  timer.arm({ ...notPrinted('501'), at: at + 1 });
  expect(timers).toHaveLength(2);
  await fire();
  expect(passed).toEqual([{ ...notPrinted('501'), at: at + 1 }]);
});
