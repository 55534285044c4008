import { allHandlersFinished } from '@temporalio/workflow';
import type { EventOf } from '../../src/orders/domain/lifecycle/run-events';
import type { RunContext } from './run-context';
import type { Submission } from './submission';

/** Steps that repeat for a long time. The worker that sees one flags the order. */
export class Stalls {
  constructor(
    private readonly run: RunContext,
    private readonly submission: Submission,
  ) {}

  /** Names of the background tasks that do not wait for a planned time, and `update` while a request is handled. */
  get unfinished(): string[] {
    const tasks = this.run.tasks.names.filter((name) => !this.submission.isPaused(name));
    return allHandlersFinished() ? tasks : [...tasks, 'update'];
  }

  /** True when the order is flagged as stalled, and the steps that stalled have ended. */
  get isOver(): boolean {
    const { stalled } = this.run.state;
    return stalled !== undefined && !this.unfinished.some((name) => stalled.steps.includes(name));
  }

  /** Takes a flag from outside. A stall whose steps have ended meanwhile is cleared from the order's rows. */
  flag(event: EventOf<'flagged'>): void {
    const steps = this.unfinished;
    if (event.reason !== 'stalled') this.run.take(event);
    else this.run.take(steps.length === 0 ? { type: 'stall_ended' } : { ...event, steps });
  }
}
