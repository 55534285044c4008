import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { FirstDelivery } from '../../activities/first-delivery';
import type { FilesAndPlan, PreparationSteps } from '../../activities/order-files';
import { preparedBy } from '../../src/orders/domain/lifecycle/run-events';
import type { ParkedPlan } from '../../src/orders/domain/run/run-messages';
import { fileQueueOf } from '../../src/platform/domain/workflows';
import { files, type Planning } from './activities';
import type { OrderRunContext } from './background-steps';
import type { BackgroundTasks } from './background-tasks';
import { outcomeOf } from './refusals';

/** Name of the background task, and of the step in the Temporal UI. */
export const PREPARATION = 'prepare';

/** Pauses before an order that could not be planned is planned again. The last one repeats. */
const REPLAN_AFTER_MS = [1, 5, 15, 60].map((minutes) => minutes * 60_000);

/** The first background step of an order: fetches its files, plans it, and delivers its print order for the first time. */
export class Preparation {
  /** True when the order is to be planned again now: on request of an operator, or with another file. */
  private replan = false;
  private pause: ParkedPlan | null = null;
  /** The steps that the first activity may still record. */
  private reserved: PreparationSteps | null = null;
  private firstDelivery: FirstDelivery | undefined;

  constructor(
    private readonly run: OrderRunContext,
    private readonly tasks: BackgroundTasks,
    private readonly planning: Planning,
  ) {}

  /** The pause of a parked order. Null while the order is prepared, and afterwards. */
  get parked(): ParkedPlan | null {
    return this.pause;
  }

  start(): void {
    this.replan = false;
    const reserved = this.run.reservePreparation();
    this.reserved = reserved;
    this.tasks.start(PREPARATION, null, async () => {
      const fetched = await this.fetchFilesAndPlan(reserved).finally(() => {
        this.reserved = null;
      });
      this.firstDelivery = fetched?.delivery;
      if (fetched !== null) await this.plan(0, fetched);
    });
  }

  /** True while the first activity may deliver a print order that the run does not have. */
  get mayDeliver(): boolean {
    return this.reserved !== null;
  }

  /**
   * Ends the time in which the first activity may deliver: takes the plan back, or waits for the end of the activity, when it has
   * recorded the plan.
   */
  async settle(): Promise<void> {
    const { reserved } = this;
    if (reserved === null) return;
    if (await this.run.withhold(reserved)) this.reserved = null;
    else await condition(() => this.reserved === null);
  }

  /** Returns how the first attempt to deliver a print order ended, once. */
  takeFirstDelivery(printOrderId: string): FirstDelivery | undefined {
    const first = this.firstDelivery;
    if (first?.printOrderId !== printOrderId) return undefined;
    this.firstDelivery = undefined;
    return first;
  }

  /** Continues the pause of a parked order, whose files are stored. */
  resume(parked: ParkedPlan): void {
    this.tasks.start(PREPARATION, null, async () => {
      await this.untilReplan(parked);
      await this.plan(parked.attempts);
    });
  }

  /** Plans a parked order again now. */
  planAgain(): void {
    this.replan = true;
  }

  stop(): void {
    this.tasks.cancel(PREPARATION);
  }

  /**
   * Fetches print files and packing slips and plans the order. A run that is cancelled meanwhile does not learn the result, so
   * it requests a plan that was stored before: the activity stores none for an order whose cancellation is recorded.
   */
  private async fetchFilesAndPlan(reserved: PreparationSteps): Promise<FilesAndPlan | null> {
    try {
      return await this.fetchFiles(reserved);
    } catch (error) {
      if (isCancellation(error)) await CancellationScope.nonCancellable(() => this.takeStoredPlan());
      throw error;
    }
  }

  private async takeStoredPlan(): Promise<void> {
    await this.run.settled();
    const request = { ...this.run.ids, onlyStored: true } as const;
    const plan = await this.planning.run((activities) =>
      activities.prepareOrder.executeWithOptions({ summary: 'stored plan' }, [request]),
    );
    if (plan.outcome === 'planned') this.run.take(preparedBy(plan));
  }

  /**
   * Fetches print files and packing slips.
   * @param reserved the steps that the activity records. Absent: the run records the plan
   * @returns the plan, when the activity made one; null when the order is refused
   */
  private async fetchFiles(reserved?: PreparationSteps): Promise<FilesAndPlan | null> {
    const { ids, input } = this.run;
    const request = { ...ids, windowMs: input.fileRetryWindowMs, ...(reserved && { reserved }) };
    const summary = `files of ${input.items.length} items, plan, first delivery`;
    const taskQueue = fileQueueOf(workflowInfo().taskQueue);
    const priority = { fairnessKey: input.clientId };
    const fetched = await outcomeOf(
      files.fetchOrderFiles.executeWithOptions({ summary, taskQueue, priority }, [request]),
    );
    if (fetched.outcome === 'done') return fetched.result;
    const details = fetched.outcome === 'refused' ? fetched.details : null;
    if (details !== null && 'code' in details) {
      const reason = fetched.message;
      this.run.take({ type: 'refused', code: String(details.code), reason, details });
    } else {
      this.run.take({
        type: 'refused',
        code: 'file_unreachable',
        reason: 'The files of the order could not be fetched in time.',
        details: null,
      });
    }
    return null;
  }

  /**
   * Plans the order. Repeats while no plan is possible: stock may arrive, or a partner may subscribe.
   * @param failed number of failed attempts before
   * @param made the plan that an activity has made already
   */
  private async plan(failed: number, made: FilesAndPlan = {}): Promise<void> {
    let { plan: first, recorded } = made;
    for (let attempts = failed + 1; ; attempts += 1) {
      if (first === undefined) this.replan = false;
      // The plan writes rows and reserves stock. It is completed also when the order is cancelled meanwhile.
      const plan =
        first ??
        (await CancellationScope.nonCancellable(() =>
          this.planning.run((activities) =>
            activities.prepareOrder.executeWithOptions({ summary: `plan, attempt ${attempts}` }, [this.run.ids]),
          ),
        ));
      first = undefined;
      if (plan.outcome === 'planned') {
        this.run.take(preparedBy(plan), recorded);
        return;
      }
      if (plan.outcome === 'unfetched') {
        const fetched = await this.fetchFiles();
        if (fetched === null) return;
        ({ plan: first, recorded } = fetched);
        continue;
      }
      if (plan.outcome === 'refused') {
        this.run.take({ type: 'refused', code: plan.code, reason: plan.reason, details: plan.details });
        return;
      }
      this.run.take({ type: 'parked', reason: plan.reason, message: plan.message });
      const pauseMs = REPLAN_AFTER_MS[Math.min(attempts, REPLAN_AFTER_MS.length) - 1]!;
      await this.untilReplan({ attempts, nextAt: Date.now() + pauseMs });
    }
  }

  /** Waits for the next attempt to plan a parked order. An operator's repair and a replaced file end the wait. */
  private async untilReplan(parked: ParkedPlan): Promise<void> {
    this.pause = parked;
    this.run.stepsChanged();
    try {
      await condition(() => this.replan, Math.max(parked.nextAt - Date.now(), 1));
    } finally {
      this.pause = null;
    }
  }
}
