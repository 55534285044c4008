import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Deadline } from '../../src/orders/domain/lifecycle/rules/deadlines';
import { describeDeadline } from '../../src/orders/domain/run/run-details';

/** The one timer of an order run, for its next deadline. */
export class DeadlineTimer {
  private armed: { deadline: Deadline; readonly scope: CancellationScope } | null = null;

  constructor(private readonly passed: (deadline: Deadline) => void) {}

  /** Waits for this deadline instead of the one before. Null: for none. */
  arm(deadline: Deadline | null): void {
    if (deadline === null) {
      this.stop();
      return;
    }
    if (deadline.at === this.armed?.deadline.at) {
      // Another deadline at the same time: the timer was armed for one that has been met.
      this.armed.deadline = deadline;
      return;
    }
    this.stop();
    const scope = new CancellationScope();
    const armed = { deadline, scope };
    this.armed = armed;
    scope
      .run(async () => {
        await sleep(Math.max(deadline.at - Date.now(), 1), { summary: describeDeadline(deadline) });
        this.armed = null;
        this.passed(armed.deadline);
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }

  stop(): void {
    this.armed?.scope.cancel();
    this.armed = null;
  }
}
