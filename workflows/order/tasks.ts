import { CancellationScope, isCancellation } from '@temporalio/workflow';

/**
 * Work in the background of a run: one task a name, each ending in events for the run's inbox.
 * The main loop never waits for a partner or a carrier, so that messages are taken in meanwhile.
 */
export class Tasks {
  private readonly running = new Map<string, CancellationScope>();
  private failure: unknown;

  /** Starts a task unless one of that name is running. */
  start(name: string, work: () => Promise<void>): void {
    if (this.running.has(name)) return;
    const scope = new CancellationScope();
    this.running.set(name, scope);
    scope
      .run(work)
      .catch((error: unknown) => {
        if (!isCancellation(error)) this.failure ??= error;
      })
      .finally(() => this.running.delete(name));
  }

  cancel(name: string): void {
    this.running.get(name)?.cancel();
  }

  has(name: string): boolean {
    return this.running.has(name);
  }

  /** Whether a task whose name starts so is running. */
  some(prefix: string): boolean {
    return this.names.some((name) => name.startsWith(prefix));
  }

  get idle(): boolean {
    return this.running.size === 0;
  }

  get names(): string[] {
    return [...this.running.keys()];
  }

  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** A bug in a task: thrown on, so that the workflow task fails visibly and is tried again after a fix. */
  rethrow(): void {
    // Not as it came: a failure of Temporal's kind would end the run for good.
    if (this.failure !== undefined) throw new Error('a task of the run failed', { cause: this.failure });
  }
}
