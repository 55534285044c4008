import { condition, sleep } from '@temporalio/workflow';
import type { RunIds } from '../../activities/order-run';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderRunInput } from '../../src/orders/domain/run/run-messages';
import type { BackgroundTasks } from './background-tasks';

export interface RunContext {
  readonly input: OrderRunInput;
  /** The order, and the request that submitted it, for activities and log lines. */
  readonly ids: RunIds;
  readonly state: RunState;
  readonly tasks: BackgroundTasks;
  /** Runs one planning activity at a time: each plans from the rows that the others write. */
  readonly plans: Mutex;
  /** Adds an event to the inbox of the main loop. */
  take(event: RunEvent): void;
  /** Resolves when all events taken so far are applied and recorded. */
  settled(): Promise<void>;
}

/**
 * Waits until the current update is in the history. When a workflow task is lost, so is an update that it accepted, and no rows may
 * have been written for such an update. The timer ends the current workflow task.
 */
export const untilInHistory = (): Promise<void> => sleep(1);

/**
 * Mutual exclusion for asynchronous work in a workflow: one piece of work at a time, in the order of the calls.
 * async-mutex continues within the same microtask, and `condition` after the current activation job.
 */
export class Mutex {
  private locked = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    // Conditions of several callers can become true together. Only the first gets the lock.
    while (this.locked) await condition(() => !this.locked);
    this.locked = true;
    try {
      return await work();
    } finally {
      this.locked = false;
    }
  }
}
