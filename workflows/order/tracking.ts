import { planning } from './activities';
import { outcomeOf } from './refusals';
import type { RunContext } from './run-context';

/** The end of tracking: the run of a shipped order ends when no carrier follows its parcels any more. */
export class Tracking {
  hasEnded = false;

  constructor(private readonly run: RunContext) {}

  /** Asks whether a carrier follows a parcel of the order. */
  check(): void {
    this.run.tasks.start('check-tracking', null, async () => {
      const checked = await outcomeOf(planning.checkTracking(this.run.ids));
      const followed = checked.outcome !== 'done' || checked.result.followed;
      if (!followed) this.hasEnded = true;
      this.run.take({ type: 'tracking_checked', followed });
    });
  }
}
