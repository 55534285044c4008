import { CancellationScope, condition } from '@temporalio/workflow';
import type { OrRefusal } from '../../activities/refusals';
import { isAskedForUnits, unitsToShip, wantedUnits } from '../../src/orders/domain/lifecycle/facts/jobs';
import { RUN_REFUSALS } from '../../src/orders/domain/lifecycle/requests';
import type { RunRefusal } from '../../src/orders/domain/lifecycle/rules/guards';
import type { RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import { printOrderOf } from '../../src/orders/domain/lifecycle/run-state';
import { cutText } from '../../src/platform/domain/foreign-text';
import { carrier, database, type Planning, partner, voiding } from './activities';
import { BackgroundTasks } from './background-tasks';
import type { Mutex } from './mutex';
import type { OrderRun } from './order-run';
import { PREPARATION, Preparation } from './preparation';
import { type ActivityOutcome, outcomeOf } from './refusals';

/** What the parts of an order run can access. */
export type OrderRunContext = Pick<
  OrderRun,
  'input' | 'ids' | 'state' | 'take' | 'settled' | 'reserve' | 'reservePreparation' | 'withhold' | 'stepsChanged'
>;

/** Starts the background steps of an order workflow. Each step reports its result as an event. */
export class BackgroundSteps {
  readonly tasks = new BackgroundTasks(() => this.run.stepsChanged());
  /** Why the last attempt to dispatch a print order failed, by print order id. */
  private readonly dispatchRefusals = new Map<string, RunRefusal>();
  readonly preparation: Preparation;

  /** @param local runs one local activity at a time */
  constructor(
    private readonly run: OrderRunContext,
    private readonly local: Mutex,
    private readonly planning: Planning,
  ) {
    this.preparation = new Preparation(run, this.tasks, planning);
  }

  /** Names of the steps that are not waiting for a planned time. */
  get unfinished(): string[] {
    return this.tasks.names.filter((name) => name !== PREPARATION || this.preparation.parked === null);
  }

  /** True when no step is running, or only the pause of a parked order. */
  get atRest(): boolean {
    return this.tasks.idle || (this.preparation.parked !== null && this.tasks.names.join() === PREPARATION);
  }

  carryOut(effect: RunEffect): void {
    switch (effect.type) {
      case 'deliver_print_order':
        this.deliver(effect.printOrderId);
        return;
      case 'deliver_order_update':
        this.deliverUpdate(effect);
        return;
      case 'request_partner_cancel':
        this.cancelAtPartner(effect);
        return;
      case 'replan_shipments':
        this.replanShipments(effect);
        return;
      case 'void_shipment':
        this.voidShipment(effect);
    }
  }

  // Partners -----------------------------------------------------------------------------------------

  deliver(printOrderId: string): void {
    const effect = { type: 'deliver_print_order', printOrderId } as const;
    this.tasks.start(`deliver:${printOrderId}`, effect, async () => {
      // The message names the shipment method of the plan.
      if (this.tasks.some('replan:')) await condition(() => !this.tasks.some('replan:'));
      const ended = await outcomeOf(this.delivered(printOrderId));
      const result = ended.outcome === 'done' ? ({ outcome: 'accepted', message: '' } as const) : undelivered(ended);
      this.run.take({ type: 'delivery', printOrderId, ...result });
    });
  }

  /** Returns how the first attempt ended, or delivers the print order after it. */
  private async delivered(printOrderId: string): Promise<OrRefusal<void>> {
    const first = this.preparation.takeFirstDelivery(printOrderId);
    const failed = first?.failure;
    if (first !== undefined && failed === undefined) return first.refusal && { refusal: first.refusal };
    const delivery = { ...this.run.ids, printOrderId, ...(failed && { failed }) };
    return await partner.deliverPrintOrder.executeWithOptions(this.optionsOf(printOrderId), [delivery]);
  }

  /** Plans shipments again. The next deliveries name the new methods. */
  private replanShipments(effect: Extract<RunEffect, { type: 'replan_shipments' }>): void {
    const { printOrderIds } = effect;
    this.tasks.start(`replan:${printOrderIds.join(',')}`, effect, async () => {
      const request = { ...this.run.ids, printOrderIds };
      const summary = cutText(`shipments of print orders ${printOrderIds.join(', ')}`, 200);
      await this.planning.run((activities) => activities.replanShipments.executeWithOptions({ summary }, [request]));
    });
  }

  stopDelivering(printOrderId: string): void {
    this.tasks.cancel(`deliver:${printOrderId}`);
  }

  /** Sends an order update. An older update is not retried any more. */
  private deliverUpdate(effect: Extract<RunEffect, { type: 'deliver_order_update' }>): void {
    const { printOrderId, revision, units } = effect;
    this.stopUpdating(printOrderId);
    this.tasks.start(`update:${printOrderId}:${revision}`, effect, async () => {
      const options = this.optionsOf(printOrderId);
      const { shippingRevision } = this.run.state;
      const wanted = wantedUnits(printOrderOf(this.run.state, printOrderId));
      const request = { ...this.run.ids, printOrderId, shippingRevision, wanted, ...(units && { units }) };
      const ended = await outcomeOf(partner.deliverOrderUpdate.executeWithOptions(options, [request]));
      const result = ended.outcome === 'done' ? { message: '', ...ended.result } : undelivered(ended);
      this.run.take({ type: 'order_update', printOrderId, revision, ...result });
    });
  }

  stopUpdating(printOrderId: string): void {
    for (const name of this.tasks.names) {
      if (name.startsWith(`update:${printOrderId}:`)) this.tasks.cancel(name);
    }
  }

  private cancelAtPartner(effect: Extract<RunEffect, { type: 'request_partner_cancel' }>): void {
    const { printOrderId, jobIds, reason } = effect;
    this.tasks.start(`cancel:${printOrderId}:${jobIds.join(',')}`, effect, async () => {
      // The print order must not arrive after the request that cancels it.
      await condition(() => !this.tasks.has(`deliver:${printOrderId}`), '1 minute');
      this.stopDelivering(printOrderId);
      const request = { ...this.run.ids, printOrderId, jobIds: [...jobIds], reason };
      const { summary: subject, priority } = this.optionsOf(printOrderId);
      const summary = cutText(`${subject}: jobs ${jobIds.join(', ')}`, 200);
      const ended = await outcomeOf(partner.cancelAtPartner.executeWithOptions({ summary, priority }, [request]));
      const { outcome, message } =
        ended.outcome === 'done' ? ended.result : { outcome: 'refused' as const, message: ended.message };
      if (outcome !== 'pending') this.run.take({ type: 'partner_cancel', printOrderId, jobIds, outcome, message });
    });
  }

  /** Waits until the partners have responded to all requests to cancel jobs or units. Returns false after the timeout. */
  async cancelResponses(timeout: '5 seconds'): Promise<boolean> {
    const isAsked = () => this.run.state.printOrders.some(({ jobs }) => jobs.some(isAskedForUnits));
    return await condition(() => !this.tasks.some('cancel:') && !isAsked(), timeout);
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
    const isOnly = !this.tasks.some('dispatch:');
    this.tasks.start(`dispatch:${printOrderId}`, null, async () => {
      const summary = this.summaryOf(printOrderId);
      const jobs = unitsToShip(printOrderOf(this.run.state, printOrderId));
      const reserved = isOnly ? this.run.reserve() : undefined;
      const request = { ...this.run.ids, printOrderId, revision, jobs, ...(reserved && { reserved }) };
      const ended = await outcomeOf(carrier.dispatchPrintOrder.executeWithOptions({ summary }, [request]));
      if (ended.outcome === 'done') {
        const { shipmentId, recorded } = ended.result;
        this.run.take({ type: 'dispatched', printOrderId, shipmentId, revision }, recorded);
        return;
      }
      const { outcome, message } = ended;
      const type = outcome === 'refused' ? RUN_REFUSALS.carrier : RUN_REFUSALS.unavailable;
      this.dispatchRefusals.set(printOrderId, { type, message });
      this.run.take({ type: 'dispatch_failed', printOrderId, message });
    });
  }

  /** Reads from the database whether a carrier follows a parcel of the order. */
  checkTracking(): void {
    this.tasks.start('check-tracking', null, async () => {
      const { followed } = await this.local.run(() => database.checkTracking(this.run.ids));
      this.run.take({ type: 'tracking_checked', followed });
    });
  }

  private voidShipment(effect: Extract<RunEffect, { type: 'void_shipment' }>): void {
    const { printOrderId, shipmentId } = effect;
    this.tasks.start(`void:${shipmentId}`, effect, async () => {
      const ended = await CancellationScope.nonCancellable(() =>
        outcomeOf(
          voiding.voidOrderShipment.executeWithOptions({ summary: this.summaryOf(printOrderId) }, [
            { ...this.run.ids, printOrderId, shipmentId },
          ]),
        ),
      );
      if (ended.outcome === 'done') return;
      this.run.take({ type: 'void_failed', printOrderId, shipmentId, message: ended.message });
    });
  }

  /** Returns the options of a message about a print order. Partners have their turns, and clients at each partner. */
  private optionsOf(printOrderId: string) {
    const { partnerUid } = printOrderOf(this.run.state, printOrderId);
    // A key has at most 64 bytes.
    const fairnessKey = `${this.run.input.clientId.slice(-12)}:${partnerUid}`.slice(0, 64);
    return { summary: this.summaryOf(printOrderId), priority: { fairnessKey } };
  }

  /** Returns the summary of an activity in the Temporal UI. */
  private summaryOf(printOrderId: string): string {
    return `print order ${printOrderId}, ${printOrderOf(this.run.state, printOrderId).partnerUid}`;
  }
}

/** Returns the outcome of a delivery that failed for good. Without a refusal, the time for retries is over. */
function undelivered(ended: Exclude<ActivityOutcome<unknown>, { outcome: 'done' }>) {
  const { message } = ended;
  if (ended.outcome !== 'refused') return { outcome: 'undeliverable', message } as const;
  // A partner's refusal has no details.
  return { outcome: ended.details === null ? 'refused' : 'unbuildable', message } as const;
}
