import { currentUpdateInfo } from '@temporalio/workflow';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import {
  claimedJobs,
  isWithPartner,
  reroutedJobs,
  reroutedUnits,
  waitingRerouteOf,
} from '../../src/orders/domain/lifecycle/facts/reroutes';
import {
  type RepairRequest,
  type RerouteRequest,
  RUN_REFUSALS,
  requestedBy,
} from '../../src/orders/domain/lifecycle/requests';
import { whyNotRepair, whyNotRerouteUnits } from '../../src/orders/domain/lifecycle/rules/guards';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import { planning } from './activities';
import type { Handover } from './handover';
import { orRefuse, refuse, refuseWith } from './refusals';
import { Mutex, type RunContext, untilInHistory } from './run-context';
import type { Submission } from './submission';

export class Repairs {
  /** Runs one repair at a time: each starts from the result of the one before. */
  private readonly repairs = new Mutex();
  /** Runs one reroute at a time. The other repairs do not wait for its plan, which is repeated until it succeeds. */
  private readonly reroutes = new Mutex();

  constructor(
    private readonly run: RunContext,
    private readonly submission: Submission,
    private readonly handover: Handover,
  ) {}

  async repair(request: RepairRequest): Promise<{ fulfillmentStatus: OrderStatus }> {
    const turns = request.action === 'reroute' || request.action === 'reproduce' ? this.reroutes : this.repairs;
    return await turns.run(async () => {
      await untilInHistory();
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
      case 'accept_address':
        this.run.take({ type: request.action, ...who });
        // The plan reads what the record has stored.
        await this.run.settled();
        this.submission.planAgain();
        return;
      case 'retry':
        this.run.take({ type: 'retry', ...who, itemIds: request.itemIds });
        this.submission.planAgain();
        return;
      case 'cancel':
        this.run.take({ type: 'cancel_items', ...who, itemIds: request.itemIds });
        await this.handover.responses();
        return;
      case 'refund':
        this.run.take({ type: 'refund_items', ...who, itemIds: request.itemIds });
        return;
      case 'move_promise':
        this.run.take({ type: 'move_promise', ...who, promises: request.promises });
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

  private async reroute(request: RerouteRequest): Promise<void> {
    const { action, itemId, force = false } = request;
    const who = requestedBy(request);
    refuseWith(whyNotRerouteUnits(this.run.state, request));
    const waiting = waitingRerouteOf(this.run.state, itemId);
    if (waiting !== undefined) {
      this.run.take({ type: 'reroute_forced', ...who, printOrderId: waiting.printOrder.id });
      return;
    }
    const claimedJobIds = request.claimed === true ? claimedJobs(this.run.state, request) : [];
    const units = request.claimed === true ? [] : reroutedUnits(this.run.state, request);
    const waits = !force && reroutedJobs(this.run.state, units).some(isWithPartner);
    const plan = await this.run.plans.run(() =>
      orRefuse(
        planning.planReroute({
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
      ),
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
      ...(claimedJobIds.length > 0 ? { claimedJobIds } : {}),
    });
    await this.run.settled();
    if (waits) await this.handover.responses();
    if (endedAtOnce(this.run.state, plan.printOrder.id)) {
      throw refuse(RUN_REFUSALS.conflict, `item ${itemId} has shipped or ended in the meantime`);
    }
  }
}

/** Returns true when a new print order ended at once, because its units have shipped or ended. */
function endedAtOnce(state: RunState, printOrderId: string): boolean {
  const printOrder = state.printOrders.find(({ id }) => id === printOrderId);
  // Undefined: it waits for a partner. A partner's refusal is its response, and shows in the order's attention reasons.
  if (printOrder === undefined || state.attention.includes('not_rerouted')) return false;
  return printOrder.jobs.every((job) => job.ended !== null);
}

function madeAt(state: RunState, itemId: string): { printOrderId: string; partnerId: string }[] {
  return state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === itemId && job.ended === null))
    .map(({ id, partnerId }) => ({ printOrderId: id, partnerId }));
}
