import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import { type OrderRefusal, preparedBy } from '../../src/orders/domain/lifecycle/run-events';
import type { ParkedPlan } from '../../src/orders/domain/run/run-messages';
import type { PreparationPlan } from '../../src/orders/planning/plan-refusals';
import { fileQueueOf } from '../../src/platform/domain/workflows';
import { files, planning } from './activities';
import { outcomeOf } from './refusals';
import type { RunContext } from './run-context';

/** Name of the background task, and of the step in the Temporal UI. */
const PREPARE = 'prepare';

/** Pauses before an order that could not be planned is planned again. The last one repeats. */
const REPLAN_AFTER_MS = [1, 5, 15, 60].map((minutes) => minutes * 60_000);

/** The step ends the process of its worker. The order waits for an operator. */
interface FailsProcess {
  readonly outcome: 'fails_process';
  readonly message: string;
}

type Prepared =
  | Exclude<PreparationPlan, { outcome: 'refused' }>
  | ({ readonly outcome: 'refused' } & OrderRefusal)
  | FailsProcess;

/** What follows the submission of an order: fetches its files and plans it. */
export class Submission {
  /** True when the order is to be planned again now: on request of an operator, or with another file. */
  private replan = false;
  /** The activity that fetches the files, with the pauses between its attempts. Null when none runs. */
  private fetching: CancellationScope | null = null;
  /** The pause of a parked order. Null while the order is prepared, and afterwards. */
  parked: ParkedPlan | null = null;

  constructor(private readonly run: RunContext) {}

  /** Fetches the files and plans the order, as a background task. */
  start(): void {
    this.run.tasks.start(PREPARE, null, async () => await this.plan(await this.fetchFilesAndPlan()));
  }

  /** Continues the pause of a parked order, whose files are stored. */
  resume(parked: ParkedPlan): void {
    this.run.tasks.start(PREPARE, null, async () => {
      await this.untilReplan(parked);
      await this.plan(null, parked.attempts);
    });
  }

  /** Plans the order again now. Ends the pause before the next attempt to fetch a file: the file may be another one. */
  planAgain(): void {
    this.replan = true;
    this.fetching?.cancel();
  }

  stop(): void {
    this.run.tasks.cancel(PREPARE);
  }

  /** Returns true for the task that waits for the next attempt of a parked order. */
  isPaused(task: string): boolean {
    return task === PREPARE && this.parked !== null;
  }

  /**
   * Plans the order. Repeats while no plan is possible: stock may arrive, or a partner may subscribe.
   * @param first the plan that was made with the files. Null: none was made
   * @param failed number of failed attempts before
   */
  private async plan(first: Prepared | null, failed = 0): Promise<void> {
    let attempts = failed;
    for (let prepared = first; ; ) {
      const plan = prepared ?? (await this.prepareOrder(attempts + 1));
      switch (plan.outcome) {
        case 'planned':
          this.run.take(preparedBy(plan));
          return;
        case 'refused':
          this.run.take({ type: 'refused', code: plan.code, reason: plan.reason, details: plan.details });
          return;
        case 'ended':
          return;
        case 'unfetched':
          prepared = await this.fetchFilesAndPlan();
          break;
        case 'fails_process':
          this.run.take({ type: 'flagged', reason: 'step_fails_process', message: plan.message });
          await this.run.settled();
          await this.untilReplan({ attempts, nextAt: null });
          prepared = null;
          break;
        case 'parked': {
          this.run.take({ type: 'parked', reason: plan.reason, message: plan.message });
          const pauseMs = REPLAN_AFTER_MS[Math.min(attempts, REPLAN_AFTER_MS.length - 1)]!;
          attempts += 1;
          await this.untilReplan({ attempts, nextAt: Date.now() + pauseMs });
          prepared = null;
        }
      }
    }
  }

  /** Plans the order now. The plan writes rows and reserves stock, so it is completed also when the order is cancelled meanwhile. */
  private async prepareOrder(attempt: number): Promise<PreparationPlan | FailsProcess> {
    this.replan = false;
    const { ids, plans } = this.run;
    const options = { summary: `plan, attempt ${attempt}` };
    const ended = await CancellationScope.nonCancellable(() =>
      plans.run(() => outcomeOf<PreparationPlan>(planning.prepareOrder.executeWithOptions(options, [ids]))),
    );
    if (ended.outcome === 'done') return ended.result;
    return { outcome: 'fails_process', message: ended.message };
  }

  /**
   * Fetches print files and packing slips and plans the order. Starts again when a file is replaced meanwhile. A run that is
   * cancelled meanwhile does not get the result, so it asks for a plan that was stored before: none is stored for an order whose
   * cancellation is recorded.
   * @returns null when no plan was made
   */
  private async fetchFilesAndPlan(): Promise<Prepared | null> {
    const { ids, input } = this.run;
    const options = {
      summary: `files of ${input.items.length} items, plan`,
      taskQueue: fileQueueOf(workflowInfo().taskQueue),
      priority: { fairnessKey: input.clientId },
    };
    const request = { ...ids, windowMs: input.fileRetryWindowMs };
    for (;;) {
      this.replan = false;
      this.fetching = new CancellationScope();
      try {
        const fetched = await this.fetching.run(() =>
          outcomeOf(files.fetchOrderFiles.executeWithOptions(options, [request])),
        );
        if (fetched.outcome === 'done') return fetched.result.plan;
        if (fetched.outcome === 'gave_up' && fetched.failsProcess) {
          return { outcome: 'fails_process', message: fetched.message };
        }
        const details = fetched.outcome === 'refused' ? fetched.details : null;
        return details !== null && 'code' in details
          ? { outcome: 'refused', code: String(details.code), reason: fetched.message, details }
          : UNREACHABLE;
      } catch (error) {
        if (!isCancellation(error)) throw error;
        if (this.replan) continue;
        await CancellationScope.nonCancellable(() => this.run.settled());
        return await this.prepareOrder(1);
      } finally {
        this.fetching = null;
      }
    }
  }

  /** Waits for the next attempt to plan a parked order. An operator's repair and a replaced file end the wait. */
  private async untilReplan(parked: ParkedPlan): Promise<void> {
    this.parked = parked;
    this.run.tasks.changed();
    try {
      const isDismissed = () => !this.run.state.attention.includes('step_fails_process');
      if (parked.nextAt === null) await condition(() => this.replan || isDismissed());
      else await condition(() => this.replan, Math.max(parked.nextAt - Date.now(), 1));
    } finally {
      this.parked = null;
    }
  }
}

const UNREACHABLE: Prepared = {
  outcome: 'refused',
  code: 'file_unreachable',
  reason: 'The files of the order could not be fetched in time.',
  details: null,
};
