import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { type Deadline, isSameDeadline } from '../../src/orders/domain/lifecycle/deadlines';
import { describeDeadline } from '../../src/orders/domain/run/run-details';
import type { Changes } from './changes';

/** The one timer of an order run, for its next deadline. */
export class DeadlineTimer {
  private armed: { deadline: Deadline; readonly scope: CancellationScope } | null = null;

  constructor(
    private readonly passed: (deadline: Deadline) => void,
    private readonly changes: Changes,
  ) {}

  /** Waits for this deadline instead of the one before. Null: for none. */
  arm(deadline: Deadline | null): void {
    if (deadline === null) {
      this.stop();
      return;
    }
    if (deadline.at === this.armed?.deadline.at) {
      // Since 2026-11-22. Before, the timer passed the deadline with which it was armed, also after that one was met.
      if (!isSameDeadline(deadline, this.armed.deadline) && this.changes.has('deadlines-by-key'))
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
