import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import {
  clockAfter,
  clockAfterReminder,
  type Deadline,
  deadlineKey,
  nextDeadline,
} from '../../src/orders/domain/lifecycle/rules/deadlines';
import type { RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunClock } from '../../src/orders/domain/lifecycle/run-state';
import { describeDeadline } from '../../src/orders/domain/run/run-details';
import type { Handover } from './handover';
import type { RunContext } from './run-context';
import type { Tracking } from './tracking';

/** The deadlines of an order run: what partners must have done, and the end of tracking. */
export class Deadlines {
  private readonly timer = new DeadlineTimer((deadline) => this.passed(deadline));

  constructor(
    private readonly run: RunContext,
    private readonly handover: Handover,
    private readonly tracking: Tracking,
    public clock: RunClock,
  ) {}

  /** Waits for the next deadline, instead of the one before. */
  arm(): void {
    this.timer.arm(nextDeadline(this.run.state, this.clock, this.run.input));
  }

  stop(): void {
    this.timer.stop();
  }

  /** Keeps the times that deadlines are counted from. Call it after each event was applied. */
  noteTimesOf(event: RunEvent): void {
    this.clock = clockAfter(this.clock, event, this.run.state, Date.now());
  }

  private passed(deadline: Deadline): void {
    switch (deadline.kind) {
      case 'close':
        this.tracking.hasEnded = true;
        break;
      case 'check_tracking':
        this.clock = { ...this.clock, trackingChecked: true };
        this.tracking.check();
        break;
      case 'stop':
        this.run.take({ type: 'reroute_due', printOrderId: deadline.printOrderId });
        break;
      case 'reminder':
        this.remind(deadline.printOrderId);
        break;
      case 'attention':
        this.clock = { ...this.clock, raised: [...this.clock.raised, deadlineKey(deadline)] };
        this.run.take({ type: 'deadline', reason: deadline.reason, printOrderId: deadline.printOrderId });
        if (deadline.reason === 'not_received') this.remind(deadline.printOrderId);
    }
  }

  /** Delivers the same message once more: the partner may have lost it after accepting it. */
  private remind(printOrderId: string): void {
    this.clock = clockAfterReminder(this.clock, printOrderId, Date.now());
    const { count } = this.clock.reminders![printOrderId]!;
    this.run.take({ type: 'reminded', printOrderId, count });
    this.handover.deliver(printOrderId);
  }
}

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
