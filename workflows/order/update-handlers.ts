import { currentUpdateInfo, sleep } from '@temporalio/workflow';
import {
  CANCELLATIONS,
  type Cancellation,
  cancellableUnits,
  cancellationOf,
  unitsCancellationOf,
} from '../../src/orders/domain/lifecycle/facts/cancellations';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import {
  isWithPartner,
  reroutedJobs,
  reroutedUnits,
  waitingRerouteOf,
} from '../../src/orders/domain/lifecycle/facts/reroutes';
import {
  type ItemUnits,
  type RepairRequest,
  type RerouteRequest,
  RUN_REFUSALS,
  requestedBy,
} from '../../src/orders/domain/lifecycle/requests';
import {
  whyNotCancel,
  whyNotCancelUnits,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyNotRerouteUnits,
} from '../../src/orders/domain/lifecycle/rules/guards';
import { printOrderOf, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import { hasShipped, type OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import type { CancelRequest, CancelResult, DispatchResult } from '../../src/orders/domain/run/run-messages';
import type { Planning } from './activities';
import type { BackgroundSteps, OrderRunContext } from './background-steps';
import { Mutex } from './mutex';
import { refuse, refuseWith } from './refusals';

/** Handlers of the order workflow's updates. Each one takes events and returns their result. */
export class UpdateHandlers {
  /** Runs one repair at a time: each starts from the result of the one before. */
  private readonly repairs = new Mutex();
  /** Runs one reroute at a time. The other repairs do not wait for its plan, which is repeated until it succeeds. */
  private readonly reroutes = new Mutex();
  /** Takes one cancel at a time. Those that arrive together would ask partners for the units of the last one only. */
  private readonly cancels = new Mutex();

  constructor(
    private readonly run: OrderRunContext,
    private readonly steps: BackgroundSteps,
    private readonly planning: Planning,
  ) {}

  /** True while a repair is running. */
  get repairing(): boolean {
    return this.repairs.busy || this.reroutes.busy;
  }

  async dispatch(printOrderId: string): Promise<DispatchResult> {
    // The activity records its result after everything that the run has received.
    await this.run.settled();
    for (;;) {
      const { shipment } = printOrderOf(this.run.state, printOrderId);
      if (shipment !== null) return { shipmentId: shipment.id };
      refuseWith(whyNotDispatch(this.run.state, printOrderId));
      const why = await this.steps.dispatch(printOrderId);
      await this.run.settled();
      refuseWith(why);
    }
  }

  async changeShipping(changeId: string): Promise<{ revision: number }> {
    await this.acceptance();
    refuseWith(whyNotChangeShipping(this.run.state));
    const result = await this.planning.run((activities) =>
      activities.applyShippingChange({ ...this.run.ids, changeId }),
    );
    if (result.outcome === 'refused') {
      const type = result.reference === undefined ? RUN_REFUSALS.conflict : RUN_REFUSALS.invalid;
      throw refuse(type, result.message, result.reference);
    }
    this.run.take({ type: 'shipping_changed', revision: result.revision });
    await this.run.settled();
    return { revision: result.revision };
  }

  async cancel(request: CancelRequest): Promise<CancelResult> {
    await this.acceptance();
    const { chosen, ofUnits, isNew } = await this.cancels.run(async () => {
      const taken = await this.takeCancel(request);
      await this.run.settled();
      return taken;
    });
    if (isNew || ofUnits.length > 0) await this.waitForPartners();
    const { state } = this.run;
    const of = [cancellationOf(state, chosen) ?? 'requested', unitsCancellationOf(state, ofUnits)];
    return { fulfillmentStatus: deriveStatus(state), cancellation: worstOf(of) };
  }

  /**
   * Waits until the update is in the history, and the run has every print order that its partner may have. When a workflow task is
   * lost, so is an update that it accepted, and no rows may have been written for such an update. The timer ends the
   * current workflow task.
   */
  private async acceptance(): Promise<void> {
    await sleep(1);
    if (!this.steps.preparation.mayDeliver) return;
    await this.steps.preparation.settle();
    await this.run.settled();
  }

  /** @returns the ids of the items to cancel and of those that lose units, and whether the items were not to be cancelled before */
  private async takeCancel(request: CancelRequest) {
    const { itemIds, units, force = false, withoutUpdates = [] } = withWholeItems(this.run.state, request);
    const who = requestedBy(request);
    const ofUnits = units.map(({ itemId }) => itemId);
    refuseWith(whyNotCancel(this.run.state, itemIds && [...itemIds, ...ofUnits]));
    refuseWith(whyNotCancelUnits(this.run.state, units, { withoutUpdates }, force));
    if (units.length > 0) {
      this.run.take({ type: 'cancel_units', ...who, units, ...(force ? { force: { withoutUpdates } } : {}) });
      await this.run.settled();
    }
    const { items, phase } = this.run.state;
    const left = items.filter(({ status }) => !hasShipped(status)).map(({ id }) => id);
    const chosen = itemIds ?? left;
    const isNew = cancellationOf(this.run.state, chosen) === null;
    if (isNew) {
      const isWhole = items.every(({ id, status }) => status === 'cancelled' || chosen.includes(id));
      if (isWhole && phase === 'preparing') this.steps.preparation.stop();
      this.run.take(
        isWhole
          ? { type: 'cancel_requested', ...who }
          : { type: 'cancel_items', ...who, itemIds: chosen, asksOnly: true },
      );
    }
    return { chosen, ofUnits, isNew };
  }

  async repair(request: RepairRequest): Promise<{ fulfillmentStatus: OrderStatus }> {
    const turns = request.action === 'reroute' || request.action === 'reproduce' ? this.reroutes : this.repairs;
    return await turns.run(async () => {
      await this.acceptance();
      // The repair before this one can have left nothing to do.
      refuseWith(whyNotRepair(this.run.state, request));
      await this.apply(request);
      await this.run.settled();
      return { fulfillmentStatus: deriveStatus(this.run.state) };
    });
  }

  private async apply(request: RepairRequest): Promise<void> {
    const who = requestedBy(request);
    switch (request.action) {
      case 'hold':
      case 'release':
      case 'dismiss':
        this.run.take({ type: request.action, ...who });
        return;
      case 'accept_files':
        this.run.take({ type: 'accept_files', ...who });
        // The plan reads what the record has stored.
        await this.run.settled();
        this.steps.preparation.planAgain();
        return;
      case 'retry':
        this.run.take({ type: 'retry', ...who, itemIds: request.itemIds });
        this.steps.preparation.planAgain();
        return;
      case 'cancel':
        this.run.take({ type: 'cancel_items', ...who, itemIds: request.itemIds });
        await this.waitForPartners();
        return;
      case 'refund':
        this.run.take({ type: 'refund_items', ...who, itemIds: request.itemIds });
        return;
      case 'mark_shipped': {
        const { action: type, ...marked } = request;
        this.run.take({ type, ...marked, at: new Date().toISOString() });
        return;
      }
      case 'reroute':
      case 'reproduce':
        await this.reroute(request);
    }
  }

  /** Waits for the partners' responses, for a short time. A later response shows in the order's status. */
  private async waitForPartners(): Promise<void> {
    await this.run.settled();
    if (await this.steps.cancelResponses('5 seconds')) await this.run.settled();
  }

  private async reroute(request: RerouteRequest): Promise<void> {
    const { action, itemId, force = false } = request;
    const who = requestedBy(request);
    refuseWith(whyNotRerouteUnits(this.run.state, request));
    const waiting = waitingRerouteOf(this.run.state, itemId);
    if (waiting !== undefined) {
      this.run.take({ type: 'reroute_forced', ...who, printOrderId: waiting.printOrder.id });
      return;
    }
    const units = reroutedUnits(this.run.state, request);
    const waits = !force && reroutedJobs(this.run.state, units).some(isWithPartner);
    const plan = await this.planning.run((activities) =>
      activities.planReroute({
        ...this.run.ids,
        step: `${action}:${currentUpdateInfo()!.id}`,
        action,
        itemId,
        quantity: request.quantity ?? (units.reduce((sum, { quantity }) => sum + quantity, 0) || null),
        partnerId: request.partnerId,
        units,
        madeAt: madeAt(this.run.state, itemId),
        waits,
      }),
    );
    if (plan.outcome === 'refused') throw refuse(RUN_REFUSALS.conflict, plan.message);
    const waitsUntil = Date.now() + this.run.input.stopDeadlineMs;
    this.run.take({
      type: 'rerouted',
      action,
      ...who,
      printOrder: plan.printOrder,
      units,
      ...(waits ? { waitsUntil } : {}),
      ...(force ? { force } : {}),
    });
    await this.run.settled();
    if (waits) await this.waitForPartners();
    if (endedAtOnce(this.run.state, plan.printOrder.id)) {
      throw refuse(RUN_REFUSALS.conflict, `item ${itemId} has shipped or ended in the meantime`);
    }
  }
}

/** Returns the state of a request of which parts have these states. */
const worstOf = (parts: readonly Cancellation[]): Cancellation =>
  CANCELLATIONS.findLast((each) => parts.includes(each))!;

/** Returns a request in which all units that are left of an item are the whole item. Cancelled items have no units. */
function withWholeItems(state: RunState, { units = [], itemIds, ...request }: CancelRequest) {
  const { items } = state;
  const open = units.filter(({ itemId }) => items.some(({ id, status }) => id === itemId && status !== 'cancelled'));
  const isWhole = ({ itemId, quantity }: ItemUnits) => cancellableUnits(state, itemId) === quantity;
  const whole = open.filter(isWhole).map(({ itemId }) => itemId);
  return { ...request, itemIds: itemIds && [...itemIds, ...whole], units: open.filter((each) => !isWhole(each)) };
}

/** Returns true when a new print order ended at once, because its units have shipped or ended. */
function endedAtOnce(state: RunState, printOrderId: string): boolean {
  const printOrder = state.printOrders.find(({ id }) => id === printOrderId);
  // Undefined: it waits for a partner. A partner's refusal is its response, and shows in the order's attention reasons.
  if (printOrder === undefined || state.attention.includes('not_rerouted')) return false;
  return printOrder.jobs.every((job) => job.ended !== null);
}

/** Returns the print orders that still produce an item. */
function madeAt(state: RunState, itemId: string): { printOrderId: string; partnerId: string }[] {
  return state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === itemId && job.ended === null))
    .map(({ id, partnerId }) => ({ printOrderId: id, partnerId }));
}
