import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Deadline } from '../../src/orders/domain/lifecycle/deadlines';
import { describeDeadline } from '../../src/orders/domain/run/run-details';

/** The one timer of an order run, for its next deadline. */
export class DeadlineTimer {
  private armed: { readonly at: number; readonly scope: CancellationScope } | null = null;

  constructor(private readonly passed: (deadline: Deadline) => void) {}

  /** Waits for this deadline instead of the one before. Null: for none. */
  arm(deadline: Deadline | null): void {
    if (deadline?.at === this.armed?.at) return;
    this.stop();
    if (deadline === null) return;
    const scope = new CancellationScope();
    this.armed = { at: deadline.at, scope };
    scope
      .run(async () => {
        await sleep(Math.max(deadline.at - Date.now(), 1), { summary: describeDeadline(deadline) });
        this.armed = null;
        this.passed(deadline);
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
