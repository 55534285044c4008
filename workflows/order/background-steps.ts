import { CancellationScope, condition } from '@temporalio/workflow';
import { unitsToShip } from '../../src/orders/domain/lifecycle/derive';
import type { RunRefusal } from '../../src/orders/domain/lifecycle/guards';
import type { RunEffect, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import { printOrderOf, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import { type OrderRunInput, type ParkedPlan, RUN_REFUSALS } from '../../src/orders/domain/run/run-messages';
import { carrier, database, files, type Planning, partner, voiding } from './activities';
import { BackgroundTasks } from './background-tasks';
import type { Mutex } from './mutex';
import { outcomeOf } from './refusals';

/** What the parts of an order run can access. */
export interface OrderRunContext {
  readonly input: OrderRunInput;
  /** The order, and the request that submitted it, for activities and log lines. */
  readonly ids: { readonly orderId: string; readonly requestId: string };
  readonly state: RunState;
  /** Adds an event to the inbox of the main loop. */
  take(event: RunEvent): void;
  /** A background step has started, paused or ended. */
  stepsChanged(): void;
}

/** Pauses before an order that could not be planned is planned again. The last one repeats. */
const REPLAN_AFTER_MS = [1, 5, 15, 60].map((minutes) => minutes * 60_000);

/** Starts the background steps of an order workflow. Each step reports its result as an event. */
export class BackgroundSteps {
  private readonly tasks = new BackgroundTasks(() => this.run.stepsChanged());
  /** Why the last attempt to dispatch a print order failed, by print order id. */
  private readonly dispatchRefusals = new Map<string, RunRefusal>();
  /** True when an operator has requested to plan the order again now. */
  private replan = false;
  private pause: ParkedPlan | null = null;

  /** @param local runs one local activity at a time */
  constructor(
    private readonly run: OrderRunContext,
    private readonly local: Mutex,
    private readonly planning: Planning,
  ) {}

  get names(): string[] {
    return this.tasks.names;
  }

  get idle(): boolean {
    return this.tasks.idle;
  }

  /** The pause of a parked order. Null while the order is prepared, and afterwards. */
  get parked(): ParkedPlan | null {
    return this.pause;
  }

  /** True when no step is running, or only the pause of a parked order. */
  get atRest(): boolean {
    return this.idle || (this.pause !== null && this.names.join() === 'prepare');
  }

  /** True when `rethrow` throws. */
  get failed(): boolean {
    return this.tasks.failed;
  }

  rethrow(): void {
    this.tasks.rethrow();
  }

  carryOut(effect: RunEffect): void {
    switch (effect.type) {
      case 'deliver_print_order':
        this.deliver(effect.printOrderId);
        return;
      case 'deliver_order_update':
        this.deliverUpdate(effect.printOrderId, effect.revision);
        return;
      case 'request_partner_cancel':
        this.cancelAtPartner(effect);
        return;
      case 'replan_shipments':
        this.replanShipments(effect.printOrderIds);
        return;
      case 'void_shipment':
        this.voidShipment(effect);
    }
  }

  /** Arguments of every activity that can refuse. Workers of older versions expect a failure instead of a result. */
  private get call() {
    return { ...this.run.ids, refusalsAsResults: true } as const;
  }

  // Files and plan -----------------------------------------------------------------------------------

  prepare(): void {
    this.run.take({ type: 'fetching_files' });
    this.tasks.start('prepare', async () => {
      if (await this.fetchFiles()) await this.plan(0);
    });
  }

  /** Continues the pause of a parked order, whose files are stored. */
  resumeParked(parked: ParkedPlan): void {
    this.tasks.start('prepare', async () => {
      await this.untilReplan(parked);
      await this.plan(parked.attempts);
    });
  }

  /** Fetches print files and packing slips. Returns false when the order is refused. */
  private async fetchFiles(): Promise<boolean> {
    const fetched = await outcomeOf(
      files.fetchOrderFiles.executeWithOptions({ summary: `files of ${this.run.input.items.length} items` }, [
        { ...this.call, windowMs: this.run.input.fileRetryWindowMs },
      ]),
    );
    if (fetched.outcome === 'done') return true;
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
    return false;
  }

  /**
   * Plans the order. Repeats while no plan is possible: stock may arrive, or a partner may subscribe.
   * @param failed number of failed attempts before
   */
  private async plan(failed: number): Promise<void> {
    for (let attempts = failed + 1; ; attempts += 1) {
      // The plan writes rows and reserves stock. It is completed also when the order is cancelled meanwhile.
      const plan = await CancellationScope.nonCancellable(() =>
        this.planning.run((activities) =>
          activities.prepareOrder.executeWithOptions({ summary: `plan, attempt ${attempts}` }, [
            this.run.ids,
          ]),
        ),
      );
      if (plan.outcome === 'planned') {
        const { printOrders, shippingRevision } = plan;
        this.run.take({
          type: 'prepared',
          printOrders,
          ...(shippingRevision === undefined ? {} : { shippingRevision }),
        });
        return;
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

  /** Waits for the next attempt to plan a parked order. An operator's retry ends the wait. */
  private async untilReplan(parked: ParkedPlan): Promise<void> {
    this.replan = false;
    this.pause = parked;
    this.run.stepsChanged();
    try {
      await condition(() => this.replan, Math.max(parked.nextAt - Date.now(), 1));
    } finally {
      this.pause = null;
    }
  }

  /** Plans a parked order again now. */
  prepareAgain(): void {
    this.replan = true;
  }

  stopPreparing(): void {
    this.tasks.cancel('prepare');
  }

  // Partners -----------------------------------------------------------------------------------------

  deliver(printOrderId: string): void {
    this.tasks.start(`deliver:${printOrderId}`, async () => {
      // The message names the shipment method of the plan.
      if (this.tasks.some('replan:')) await condition(() => !this.tasks.some('replan:'));
      const summary = this.summaryOf(printOrderId);
      const ended = await outcomeOf(
        partner.deliverPrintOrder.executeWithOptions({ summary }, [{ ...this.call, printOrderId }]),
      );
      const delivery = { type: 'delivery', printOrderId } as const;
      if (ended.outcome === 'done') {
        this.run.take({ ...delivery, outcome: 'accepted', message: '' });
      } else {
        const outcome = ended.outcome === 'refused' ? 'refused' : 'undeliverable';
        this.run.take({ ...delivery, outcome, message: ended.message });
      }
    });
  }

  /** Plans shipments again. The next deliveries name the new methods. */
  private replanShipments(printOrderIds: readonly string[]): void {
    this.tasks.start(`replan:${printOrderIds.join(',')}`, async () => {
      const request = { ...this.run.ids, printOrderIds };
      const summary = `shipments of print orders ${printOrderIds.join(', ')}`.slice(0, 200);
      await this.planning.run((activities) =>
        activities.replanShipments.executeWithOptions({ summary }, [request]),
      );
    });
  }

  stopDelivering(printOrderId: string): void {
    this.tasks.cancel(`deliver:${printOrderId}`);
  }

  /** Sends an order update. The update of an older shipping revision is not retried any more. */
  deliverUpdate(printOrderId: string, revision: number): void {
    this.stopUpdating(printOrderId);
    this.tasks.start(`update:${printOrderId}:${revision}`, async () => {
      const summary = this.summaryOf(printOrderId);
      const request = { ...this.call, printOrderId, shippingRevision: revision };
      const ended = await outcomeOf(partner.deliverOrderUpdate.executeWithOptions({ summary }, [request]));
      const update = { type: 'order_update', printOrderId, revision } as const;
      if (ended.outcome === 'done') {
        this.run.take({ ...update, message: '', ...ended.result });
      } else {
        const outcome = ended.outcome === 'refused' ? 'refused' : 'undeliverable';
        this.run.take({ ...update, outcome, message: ended.message });
      }
    });
  }

  stopUpdating(printOrderId: string): void {
    for (const name of this.tasks.names) {
      if (name.startsWith(`update:${printOrderId}:`)) this.tasks.cancel(name);
    }
  }

  private cancelAtPartner(effect: Extract<RunEffect, { type: 'request_partner_cancel' }>): void {
    const { printOrderId, jobIds, reason } = effect;
    this.tasks.start(`cancel:${printOrderId}:${jobIds.join(',')}`, async () => {
      // The print order must not arrive after the request that cancels it.
      await condition(() => !this.tasks.has(`deliver:${printOrderId}`), '1 minute');
      this.stopDelivering(printOrderId);
      const request = { ...this.run.ids, printOrderId, jobIds: [...jobIds], reason };
      const summary = `${this.summaryOf(printOrderId)}: jobs ${jobIds.join(', ')}`.slice(0, 200);
      const ended = await outcomeOf(partner.cancelAtPartner.executeWithOptions({ summary }, [request]));
      const { outcome, message } =
        ended.outcome === 'done' ? ended.result : { outcome: 'refused' as const, message: ended.message };
      if (outcome !== 'pending')
        this.run.take({ type: 'partner_cancel', printOrderId, jobIds, outcome, message });
    });
  }

  /** Waits until the partners have answered all cancel requests. Returns false after the time-out. */
  async cancelsAnswered(timeout: '5 seconds'): Promise<boolean> {
    return await condition(() => !this.tasks.some('cancel:'), timeout);
  }

  // Labels -------------------------------------------------------------------------------------------

  /** Buys the labels of a print order. Returns why they could not be bought. */
  async dispatch(printOrderId: string): Promise<RunRefusal> {
    this.dispatchRefusals.delete(printOrderId);
    this.startDispatch(printOrderId);
    await condition(() => !this.tasks.has(`dispatch:${printOrderId}`));
    return this.dispatchRefusals.get(printOrderId) ?? null;
  }

  private startDispatch(printOrderId: string): void {
    const revision = this.run.state.shippingRevision;
    this.tasks.start(`dispatch:${printOrderId}`, async () => {
      const summary = this.summaryOf(printOrderId);
      const jobs = unitsToShip(printOrderOf(this.run.state, printOrderId));
      const request = { ...this.call, printOrderId, revision, jobs };
      const ended = await outcomeOf(carrier.dispatchPrintOrder.executeWithOptions({ summary }, [request]));
      if (ended.outcome === 'done') {
        const { shipmentId } = ended.result;
        this.run.take({ type: 'dispatched', printOrderId, shipmentId, revision });
        return;
      }
      const { outcome, message } = ended;
      const type = outcome === 'refused' ? RUN_REFUSALS.carrier : RUN_REFUSALS.unavailable;
      this.dispatchRefusals.set(printOrderId, { type, message });
      this.run.take({ type: 'dispatch_failed', printOrderId, message });
    });
  }

  /** Asks the database whether a carrier follows a parcel of the order. */
  checkTracking(): void {
    this.tasks.start('check-tracking', async () => {
      const { followed } = await this.local.run(() => database.checkTracking(this.run.ids));
      this.run.take({ type: 'tracking_checked', followed });
    });
  }

  private voidShipment(effect: Extract<RunEffect, { type: 'void_shipment' }>): void {
    const { printOrderId, shipmentId } = effect;
    this.tasks.start(`void:${shipmentId}`, async () => {
      const ended = await CancellationScope.nonCancellable(() =>
        outcomeOf(
          voiding.voidOrderShipment.executeWithOptions({ summary: this.summaryOf(printOrderId) }, [
            { ...this.call, printOrderId, shipmentId },
          ]),
        ),
      );
      if (ended.outcome === 'done') return;
      this.run.take({ type: 'void_failed', printOrderId, shipmentId, message: ended.message });
    });
  }

  /** Returns the summary of an activity in the Temporal UI. */
  private summaryOf(printOrderId: string): string {
    return `print order ${printOrderId}, ${printOrderOf(this.run.state, printOrderId).partnerUid}`;
  }
}
