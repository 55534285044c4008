import { condition } from '@temporalio/workflow';

/**
 * Mutual exclusion for asynchronous work in a workflow: one piece of work at a time, in the order of the calls.
 * async-mutex continues within the same microtask, and `condition` after the current activation job.
 */
export class Mutex {
  private locked = false;

  get busy(): boolean {
    return this.locked;
  }

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
