import { type ApplicationFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import { unitsToShip } from '../../src/orders/domain/lifecycle/derive';
import type { RunEffect, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import { printOrderOf, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderRunInput } from '../../src/orders/domain/run/run-messages';
import { carrier, database, files, partner, voiding } from './activities';
import { applicationFailure, fileRefusal } from './failures';
import type { Mutex } from './mutex';
import { Tasks } from './tasks';

/** What the parts of a run see of it. */
export interface OrderRunContext {
  readonly input: OrderRunInput;
  /** The order, and the request that began it, as activities and the log take them. */
  readonly ids: { readonly orderId: string; readonly requestId: string };
  readonly state: RunState;
  /** Takes an event in; the main loop decides on it. */
  take(event: RunEvent): void;
}

/** How long a parked order waits before it is planned again. */
const REPLAN_AFTER = ['1 minute', '5 minutes', '15 minutes', '1 hour'] as const;

/** What a run sets going with files, partners and carriers: in the background, each ending in events for the run. */
export class BackgroundSteps {
  private readonly tasks = new Tasks();
  /** Why the last try to dispatch a print order failed. */
  private readonly dispatchFailures = new Map<string, ApplicationFailure>();
  /** An operator wants a parked order planned again now. */
  private replan = false;

  /** @param local lets one local activity go on at a time */
  constructor(
    private readonly run: OrderRunContext,
    private readonly local: Mutex,
  ) {}

  get names(): string[] {
    return this.tasks.names;
  }

  get idle(): boolean {
    return this.tasks.idle;
  }

  /** Whether there is something to rethrow. */
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
      case 'request_partner_cancel':
        this.cancelAtPartner(effect);
        return;
      case 'void_shipment':
        this.voidShipment(effect);
    }
  }

  // Files and plan -----------------------------------------------------------------------------------

  prepare(): void {
    this.run.take({ type: 'fetching_files' });
    this.tasks.start('prepare', async () => {
      try {
        await files.fetchOrderFiles({ ...this.run.ids, windowMs: this.run.input.fileRetryWindowMs });
      } catch (error) {
        if (isCancellation(error)) throw error;
        this.run.take(fileRefusal(error));
        return;
      }
      for (let attempt = 0; ; attempt += 1) {
        // The plan writes rows and reserves stock: once begun it is seen through, even when the order is cancelled.
        const plan = await CancellationScope.nonCancellable(() =>
          this.local.run(() => database.prepareOrder(this.run.ids)),
        );
        if (plan.outcome === 'planned') {
          this.run.take({ type: 'prepared', printOrders: plan.printOrders });
          return;
        }
        if (plan.outcome === 'refused') {
          this.run.take({ type: 'refused', code: plan.code, reason: plan.reason, details: plan.details });
          return;
        }
        this.run.take({ type: 'parked', reason: plan.reason, message: plan.message });
        // What stands in the way may pass by itself: stock comes in, a partner subscribes.
        this.replan = false;
        await condition(() => this.replan, REPLAN_AFTER[Math.min(attempt, REPLAN_AFTER.length - 1)]!);
      }
    });
  }

  prepareAgain(): void {
    this.replan = true;
  }

  stopPreparing(): void {
    this.tasks.cancel('prepare');
  }

  // Partners -----------------------------------------------------------------------------------------

  deliver(printOrderId: string): void {
    this.tasks.start(`deliver:${printOrderId}`, async () => {
      try {
        const summary = this.summaryOf(printOrderId);
        await partner.deliverPrintOrder.executeWithOptions({ summary }, [{ ...this.run.ids, printOrderId }]);
        this.run.take({ type: 'delivery', printOrderId, outcome: 'accepted', message: '' });
      } catch (error) {
        const { type, message } = applicationFailure(error);
        const outcome = type === 'PrintOrderRefused' ? 'refused' : 'undeliverable';
        this.run.take({ type: 'delivery', printOrderId, outcome, message });
      }
    });
  }

  stopDelivering(printOrderId: string): void {
    this.tasks.cancel(`deliver:${printOrderId}`);
  }

  private cancelAtPartner(effect: Extract<RunEffect, { type: 'request_partner_cancel' }>): void {
    const { printOrderId, jobIds, reason } = effect;
    const tell = (outcome: 'confirmed' | 'refused', message: string) =>
      this.run.take({ type: 'partner_cancel', printOrderId, jobIds, outcome, message });
    this.tasks.start(`cancel:${printOrderId}:${jobIds.join(',')}`, async () => {
      // The order must not arrive after the word that cancels it.
      await condition(() => !this.tasks.has(`deliver:${printOrderId}`), '1 minute');
      this.stopDelivering(printOrderId);
      try {
        const request = { ...this.run.ids, printOrderId, jobIds: [...jobIds], reason };
        const { outcome, message } = await partner.cancelAtPartner(request);
        if (outcome !== 'pending') tell(outcome, message);
      } catch (error) {
        tell('refused', applicationFailure(error).message);
      }
    });
  }

  /** Until the partners have answered what cancels, or for a time. @returns whether they have */
  async cancelsAnswered(timeout: '5 seconds'): Promise<boolean> {
    return await condition(() => !this.tasks.some('cancel:'), timeout);
  }

  // Labels -------------------------------------------------------------------------------------------

  /** Buys the labels of a print order. @returns why they could not be bought */
  async dispatch(printOrderId: string): Promise<ApplicationFailure | undefined> {
    this.dispatchFailures.delete(printOrderId);
    this.startDispatch(printOrderId);
    await condition(() => !this.tasks.has(`dispatch:${printOrderId}`));
    return this.dispatchFailures.get(printOrderId);
  }

  private startDispatch(printOrderId: string): void {
    const revision = this.run.state.shippingRevision;
    this.tasks.start(`dispatch:${printOrderId}`, async () => {
      try {
        const summary = this.summaryOf(printOrderId);
        const jobs = unitsToShip(printOrderOf(this.run.state, printOrderId));
        const request = { ...this.run.ids, printOrderId, revision, jobs };
        const { shipmentId } = await carrier.dispatchPrintOrder.executeWithOptions({ summary }, [request]);
        this.run.take({ type: 'dispatched', printOrderId, shipmentId, revision });
      } catch (error) {
        this.dispatchFailures.set(printOrderId, applicationFailure(error));
        this.run.take({ type: 'deadline', reason: 'dispatch_failed', printOrderId });
      }
    });
  }

  private voidShipment(effect: Extract<RunEffect, { type: 'void_shipment' }>): void {
    const { printOrderId, shipmentId } = effect;
    this.tasks.start(`void:${shipmentId}`, async () => {
      try {
        await CancellationScope.nonCancellable(() =>
          voiding.voidOrderShipment({ ...this.run.ids, printOrderId, shipmentId }),
        );
      } catch (error) {
        const { message } = applicationFailure(error);
        this.run.take({ type: 'void_failed', printOrderId, shipmentId, message });
      }
    });
  }

  /** What a step is about, in the Temporal UI. */
  private summaryOf(printOrderId: string): string {
    return `print order ${printOrderId}, ${printOrderOf(this.run.state, printOrderId).partnerUid}`;
  }
}
