interface Activation {
  readonly historyLength: number;
  /** The workflow's clock, in epoch milliseconds. */
  readonly clock: number;
  /** The activation delivers the result of a local activity. */
  readonly endsLocalActivity: boolean;
}

/**
 * Tells the activations of one workflow task from those of the next. The history length alone does not tell: attempts of a
 * lost task add no events. Within a task the clock advances only by the run times of local activities.
 */
export class CurrentTask {
  private latest: Activation | null = null;
  /** The clock at the first activation: the start of the task by the server's clock. */
  startedAt = 0;

  /** Returns true when an activation begins another task. */
  begins(activation: Activation): boolean {
    const { latest } = this;
    this.latest = activation;
    const { historyLength, clock, endsLocalActivity } = activation;
    if (latest?.historyLength === historyLength && (endsLocalActivity || latest.clock === clock)) return false;
    this.startedAt = clock;
    return true;
  }
}
