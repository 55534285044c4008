import { allHandlersFinished, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { EventOf, RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import type { RunContext } from './run-context';
import type { Submission } from './submission';

/**
 * Runs asynchronous work beside the main loop of an order workflow. At most one task of each name runs at a time. A task
 * reports its result as an event, so that the main loop never waits for a partner or a carrier.
 */
export class BackgroundTasks {
  private readonly running = new Map<
    string,
    { readonly scope: CancellationScope; readonly effect: RunEffect | null }
  >();
  private failure: unknown;

  /** @param changed is called when a task starts, pauses or ends */
  constructor(readonly changed: () => void) {}

  /**
   * Starts a task, unless one of that name is running.
   * @param effect the effect that the task carries out. Null: another step
   */
  start(name: string, effect: RunEffect | null, work: () => Promise<void>): void {
    if (this.running.has(name)) return;
    const scope = new CancellationScope();
    this.running.set(name, { scope, effect });
    this.changed();
    scope
      .run(work)
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.failure ??= error;
      })
      .finally(() => {
        this.running.delete(name);
        this.changed();
      });
  }

  cancel(name: string): void {
    this.running.get(name)?.scope.cancel();
  }

  /** Cancels a task without waiting for its end. */
  abandon(name: string): void {
    this.cancel(name);
    if (this.running.delete(name)) this.changed();
  }

  has(name: string): boolean {
    return this.running.has(name);
  }

  /** Returns true when a task is running whose name has this prefix. */
  some(prefix: string): boolean {
    return this.names.some((name) => name.startsWith(prefix));
  }

  get idle(): boolean {
    return this.running.size === 0;
  }

  get names(): string[] {
    return [...this.running.keys()];
  }

  /** The effects that running tasks carry out. */
  get effects(): RunEffect[] {
    return [...this.running.values()].flatMap(({ effect }) => effect ?? []);
  }

  get failed(): boolean {
    return this.failure !== undefined;
  }

  /**
   * Throws the failure of a task, which is a bug. The workflow task fails, and is retried after a fix is deployed.
   * The failure is wrapped: a Temporal failure would end the workflow.
   */
  rethrow(): void {
    if (this.failure !== undefined)
      throw new Error('a background task of the order run failed', { cause: this.failure });
  }
}

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
