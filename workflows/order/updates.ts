import { currentUpdateInfo, patched, sleep } from '@temporalio/workflow';
import { deriveStatus } from '../../src/orders/domain/lifecycle/derive';
import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
} from '../../src/orders/domain/lifecycle/guards';
import { replacedUnits } from '../../src/orders/domain/lifecycle/replacement';
import { printOrderOf, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import {
  type CancelRequest,
  type DispatchResult,
  type RepairRequest,
  RUN_REFUSALS,
} from '../../src/orders/domain/run/run-messages';
import { database } from './activities';
import type { BackgroundSteps, OrderRunContext } from './background-steps';
import { refusal, refuseWith } from './failures';
import { Mutex } from './mutex';

/** A run that tells when it has decided on, and written, everything taken in so far. */
export interface SettlingRun extends OrderRunContext {
  settled(): Promise<void>;
}

/** The updates of a run: each takes its events in and answers with what came of them. */
export class Updates {
  /** Operators' acts: one at a time, each on what the one before left. */
  private readonly repairs = new Mutex();

  /** @param local lets one local activity go on at a time */
  constructor(
    private readonly run: SettlingRun,
    private readonly steps: BackgroundSteps,
    private readonly local: Mutex,
  ) {}

  /** Whether an operator's act is under way. */
  get repairing(): boolean {
    return this.repairs.busy;
  }

  async dispatch(printOrderId: string): Promise<DispatchResult> {
    for (;;) {
      const { shipment } = printOrderOf(this.run.state, printOrderId);
      if (shipment !== null) return { shipmentId: shipment.id };
      refuseWith(whyNotDispatch(this.run.state, printOrderId));
      const failure = await this.steps.dispatch(printOrderId);
      await this.run.settled();
      if (failure !== undefined) throw failure;
    }
  }

  async changeShipping(changeId: string): Promise<{ revision: number }> {
    await accepted();
    refuseWith(whyNotChangeShipping(this.run.state));
    const result = await this.local.run(() => database.applyShippingChange({ ...this.run.ids, changeId }));
    if (result.outcome === 'refused') {
      throw refusal(RUN_REFUSALS.invalid, result.message, result.reference);
    }
    this.run.take({ type: 'shipping_changed', revision: result.revision });
    await this.run.settled();
    return { revision: result.revision };
  }

  async cancel(request: CancelRequest): Promise<{ fulfillmentStatus: OrderStatus }> {
    await accepted();
    refuseWith(whyNotCancel(this.run.state));
    if (this.run.state.phase === 'preparing') this.steps.stopPreparing();
    this.run.take({ type: 'cancel_requested', by: request.by, reason: request.reason });
    await this.partnersWord();
    return { fulfillmentStatus: deriveStatus(this.run.state) };
  }

  async repair(request: RepairRequest): Promise<{ fulfillmentStatus: OrderStatus }> {
    return await this.repairs.run(async () => {
      await accepted();
      // The act before it may have left nothing to do.
      refuseWith(whyNotRepair(this.run.state, request));
      await this.act(request);
      await this.run.settled();
      return { fulfillmentStatus: deriveStatus(this.run.state) };
    });
  }

  private async act(request: RepairRequest): Promise<void> {
    const { by, reason } = request;
    switch (request.action) {
      case 'hold':
      case 'release':
        this.run.take({ type: request.action, by, reason });
        return;
      case 'retry':
        this.run.take({ type: 'retry', by, reason, itemIds: request.itemIds });
        this.steps.prepareAgain();
        return;
      case 'cancel':
        await this.cancelItems(request);
        return;
      case 'reroute':
      case 'reproduce':
        await this.replace(request);
    }
  }

  private async cancelItems(request: Extract<RepairRequest, { action: 'cancel' }>): Promise<void> {
    const { by, reason, itemIds } = request;
    // Since 2026-11-21; without it the items were cancelled whatever their partner said.
    const asksPartner = patched('operator-cancel-asks-partner');
    this.run.take({ type: 'cancel_items', by, reason, itemIds, asksPartner });
    if (asksPartner) await this.partnersWord();
  }

  /** A partner's quick word is worth waiting for; a slow one comes with the order's status. */
  private async partnersWord(): Promise<void> {
    await this.run.settled();
    if (await this.steps.cancelsAnswered('5 seconds')) await this.run.settled();
  }

  private async replace(request: Extract<RepairRequest, { action: 'reroute' | 'reproduce' }>): Promise<void> {
    const { action, itemId, by, reason } = request;
    const replaces = replacedUnits(this.run.state, request);
    const plan = await this.local.run(() =>
      database.planReplacement({
        ...this.run.ids,
        step: `${action}:${currentUpdateInfo()!.id}`,
        action,
        itemId,
        quantity: request.quantity ?? (replaces.reduce((sum, { quantity }) => sum + quantity, 0) || null),
        partnerId: request.partnerId,
        madeAt: madeAt(this.run.state, itemId),
      }),
    );
    if (plan.outcome === 'refused') throw refusal(RUN_REFUSALS.conflict, plan.message);
    this.run.take({ type: 'replaced', action, by, reason, printOrder: plan.printOrder, replaces });
    await this.run.settled();
    if (printOrderOf(this.run.state, plan.printOrder.id).jobs.every((job) => job.ended !== null)) {
      throw refusal(RUN_REFUSALS.conflict, `item ${itemId} has shipped or ended meanwhile`);
    }
  }
}

/**
 * Until what asks for it is in the history: a workflow task that is lost takes an update with it, and nothing may
 * have been written of an act that nobody knows of. The timer ends the task under way.
 */
async function accepted(): Promise<void> {
  await sleep(1);
}

/** The print orders that still make an item. */
function madeAt(state: RunState, itemId: string): { printOrderId: string; partnerId: string }[] {
  return state.printOrders
    .filter(({ jobs }) => jobs.some((job) => job.itemId === itemId && job.ended === null))
    .map(({ id, partnerId }) => ({ printOrderId: id, partnerId }));
}
