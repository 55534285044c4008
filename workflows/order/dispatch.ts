import { CancellationScope, condition } from '@temporalio/workflow';
import { unitsToShip } from '../../src/orders/domain/lifecycle/facts/jobs';
import { RUN_REFUSALS } from '../../src/orders/domain/lifecycle/requests';
import { type RunRefusal, whyNotDispatch } from '../../src/orders/domain/lifecycle/rules/guards';
import type { RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import { printOrderOf } from '../../src/orders/domain/lifecycle/run-state';
import type { DispatchRequest, DispatchResult } from '../../src/orders/domain/run/run-messages';
import { carrier, voiding } from './activities';
import { summaryOf } from './handover';
import { outcomeOf, refuseWith } from './refusals';
import type { RunContext } from './run-context';

/** Dispatch: buys the labels of print orders whose partners ask for documents, and voids labels that nobody uses. */
export class Dispatch {
  /** Why the last attempt to dispatch a print order failed, by print order id. */
  private readonly refusals = new Map<string, RunRefusal>();

  constructor(private readonly run: RunContext) {}

  /**
   * Handles a partner's request for documents. Requests for one print order share one purchase. A request that does not wait
   * gets the refusal of the purchase before it.
   */
  async request(request: DispatchRequest): Promise<DispatchResult> {
    const { printOrderId, inBackground } = request;
    for (;;) {
      const { shipment } = printOrderOf(this.run.state, printOrderId);
      if (shipment !== null) return { shipmentId: shipment.id };
      refuseWith(whyNotDispatch(this.run.state, printOrderId));
      const refusal = this.refusals.get(printOrderId) ?? null;
      this.refusals.delete(printOrderId);
      if (inBackground) refuseWith(refusal);
      this.buyLabels(request);
      if (inBackground) return { shipmentId: null };
      await condition(() => !this.run.tasks.has(`dispatch:${printOrderId}`));
      await this.run.settled();
      refuseWith(this.refusals.get(printOrderId) ?? null);
    }
  }

  private buyLabels({ printOrderId, ...options }: DispatchRequest): void {
    const { state, ids, tasks } = this.run;
    const { shippingRevision: revision } = state;
    tasks.start(`dispatch:${printOrderId}`, null, async () => {
      const summary = summaryOf(this.run.state, printOrderId);
      const jobs = unitsToShip(printOrderOf(this.run.state, printOrderId));
      const request = { ...ids, printOrderId, revision, jobs, ...options };
      const ended = await outcomeOf(carrier.dispatchPrintOrder.executeWithOptions({ summary }, [request]));
      if (ended.outcome === 'done') {
        this.run.take({ type: 'dispatched', printOrderId, shipmentId: ended.result.shipmentId, revision });
        return;
      }
      const { outcome, message } = ended;
      const type = outcome === 'refused' ? RUN_REFUSALS.carrier : RUN_REFUSALS.unavailable;
      this.refusals.set(printOrderId, { type, message });
      this.run.take({ type: 'dispatch_failed', printOrderId, message });
    });
  }

  /** Voids the labels of a shipment, also when the run is cancelled. */
  voidLabels(effect: Extract<RunEffect, { type: 'void_shipment' }>): void {
    const { printOrderId, shipmentId } = effect;
    const { state, ids, tasks } = this.run;
    const summary = summaryOf(state, printOrderId);
    tasks.start(`void:${shipmentId}`, effect, async () => {
      const request = { ...ids, printOrderId, shipmentId };
      const ended = await CancellationScope.nonCancellable(() =>
        outcomeOf(voiding.voidOrderShipment.executeWithOptions({ summary }, [request])),
      );
      if (ended.outcome === 'done') return;
      this.run.take({ type: 'void_failed', printOrderId, shipmentId, message: ended.message });
    });
  }
}
