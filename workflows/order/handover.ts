import { CancellationScope, condition } from '@temporalio/workflow';
import { isAskedForUnits, openJobs, wantedUnits } from '../../src/orders/domain/lifecycle/facts/jobs';
import type { RunEffect } from '../../src/orders/domain/lifecycle/run-events';
import { printOrderOf, type RunState } from '../../src/orders/domain/lifecycle/run-state';
import { cutText } from '../../src/platform/domain/foreign-text';
import { delivery, partner, planning } from './activities';
import { type ActivityOutcome, outcomeOf } from './refusals';
import type { RunContext } from './run-context';

/** The messages to partners: print orders, order updates and cancel requests. Each runs as a background task. */
export class Handover {
  constructor(private readonly run: RunContext) {}

  /** Starts the background task of an effect. Does nothing for effects that a record carries out. */
  carryOut(effect: RunEffect): void {
    switch (effect.type) {
      case 'deliver_print_order':
        this.deliver(effect.printOrderId);
        break;
      case 'deliver_order_update':
        this.deliverUpdate(effect);
        break;
      case 'request_partner_cancel':
        this.requestCancel(effect);
        break;
      case 'replan_shipments':
        this.replanShipments(effect);
    }
  }

  deliver(printOrderId: string): void {
    const { tasks, ids } = this.run;
    const effect = { type: 'deliver_print_order', printOrderId } as const;
    tasks.start(`deliver:${printOrderId}`, effect, async () => {
      // The message names the shipment method of the plan.
      if (tasks.some('replan:')) await condition(() => !tasks.some('replan:'));
      const options = optionsOf(this.run, printOrderId);
      const ended = await outcomeOf(delivery.deliverPrintOrder.executeWithOptions(options, [{ ...ids, printOrderId }]));
      // The last call before a cancel request got no response.
      if (ended.outcome === 'gave_up' && CancellationScope.current().consideredCancelled) return;
      const result = ended.outcome === 'done' ? ({ outcome: 'accepted', message: '' } as const) : undelivered(ended);
      this.run.take({ type: 'delivery', printOrderId, ...result });
    });
  }

  private stopDelivering(printOrderId: string): void {
    this.run.tasks.cancel(`deliver:${printOrderId}`);
  }

  /** Plans shipments again. The next deliveries name the new methods. */
  private replanShipments(effect: Extract<RunEffect, { type: 'replan_shipments' }>): void {
    const { printOrderIds, refunds } = effect;
    // A later cancel needs a task of its own: one that runs may have read the units before it.
    const left = printOrderIds
      .flatMap((id) => printOrderOf(this.run.state, id).jobs)
      .map(({ quantity, ended }) => (ended === null ? quantity : 0));
    this.run.tasks.start(`replan:${printOrderIds.join(',')}:${left.join(',')}`, effect, async () => {
      const request = { ...this.run.ids, printOrderIds, ...(refunds && { refunds }) };
      const summary = cutText(`shipments of print orders ${printOrderIds.join(', ')}`, 200);
      const replan = () => planning.replanShipments.executeWithOptions({ summary }, [request]);
      for (;;) {
        const ended = await this.run.plans.run(() => outcomeOf(replan()));
        if (ended.outcome !== 'gave_up') return;
        // Deliveries wait for the plan, and the plan for an operator.
        const { run } = this;
        run.take({ type: 'flagged', reason: 'step_fails_process', message: ended.message });
        await run.settled();
        await condition(() => run.state.phase === 'closed' || !run.state.attention.includes('step_fails_process'));
        if (run.state.phase === 'closed') return;
      }
    });
  }

  /** Sends an order update. An older update is not retried any more. */
  private deliverUpdate(effect: Extract<RunEffect, { type: 'deliver_order_update' }>): void {
    const { printOrderId, revision, units } = effect;
    this.stopUpdating(printOrderId);
    this.run.tasks.start(`update:${printOrderId}:${revision}`, effect, async () => {
      const options = optionsOf(this.run, printOrderId);
      const { shippingRevision } = this.run.state;
      const wanted = wantedUnits(printOrderOf(this.run.state, printOrderId));
      const request = { ...this.run.ids, printOrderId, shippingRevision, wanted, ...(units && { units }) };
      const ended = await outcomeOf(partner.deliverOrderUpdate.executeWithOptions(options, [request]));
      const result = ended.outcome === 'done' ? { message: '', ...ended.result } : undelivered(ended);
      this.run.take({ type: 'order_update', printOrderId, revision, ...result });
    });
  }

  private stopUpdating(printOrderId: string): void {
    for (const name of this.run.tasks.names) {
      if (name.startsWith(`update:${printOrderId}:`)) this.run.tasks.cancel(name);
    }
  }

  private requestCancel(effect: Extract<RunEffect, { type: 'request_partner_cancel' }>): void {
    const { printOrderId, jobIds, reason } = effect;
    const { tasks, ids } = this.run;
    tasks.start(`cancel:${printOrderId}:${jobIds.join(',')}`, effect, async () => {
      const request = { ...ids, printOrderId, jobIds: [...jobIds], reason };
      const { summary: subject, priority } = optionsOf(this.run, printOrderId);
      const summary = cutText(`${subject}: jobs ${jobIds.join(', ')}`, 200);
      const isDelivering = () => tasks.has(`deliver:${printOrderId}`);
      const isWhole = openJobs(printOrderOf(this.run.state, printOrderId)).every(({ id }) => jobIds.includes(id));
      const withdraw = () => outcomeOf(planning.withdrawPrintJobs.executeWithOptions({ summary }, [request]));
      const withdrawn = isDelivering() ? await withdraw() : null;
      const isUnsent = withdrawn?.outcome === 'done' && withdrawn.result;
      // The partner needs the rest of the print order. The request must not arrive before the jobs that it cancels.
      if (isWhole) this.stopDelivering(printOrderId);
      if (isUnsent) {
        const message = 'the print order was never sent';
        this.run.take({ type: 'partner_cancel', printOrderId, jobIds, outcome: 'confirmed', message });
        return;
      }
      const hasEnded = await condition(() => !isDelivering(), '1 minute');
      if (!hasEnded && !isWhole) await condition(() => !isDelivering());
      const ended = await outcomeOf(partner.cancelAtPartner.executeWithOptions({ summary, priority }, [request]));
      const { outcome, message } =
        ended.outcome === 'done' ? ended.result : { outcome: 'refused' as const, message: ended.message };
      if (outcome !== 'pending') this.run.take({ type: 'partner_cancel', printOrderId, jobIds, outcome, message });
    });
  }

  /** Waits for the partners' responses to cancel requests, for a short time. A later response shows in the order's status. */
  async responses(): Promise<void> {
    const isAsked = () => this.run.state.printOrders.some(({ jobs }) => jobs.some(isAskedForUnits));
    await this.run.settled();
    const responded = await condition(() => !this.run.tasks.some('cancel:') && !isAsked(), '5 seconds');
    if (responded) await this.run.settled();
  }

  /** Stops all messages that are repeated until a partner accepts them. The run does not wait for a call that is under way. */
  stop(): void {
    for (const { id } of this.run.state.printOrders) {
      this.run.tasks.abandon(`deliver:${id}`);
      this.stopUpdating(id);
    }
  }
}

/** Returns the options of a message about a print order. Partners have their turns, and clients at each partner. */
function optionsOf({ state, input }: RunContext, printOrderId: string) {
  const { partnerUid } = printOrderOf(state, printOrderId);
  // A key has at most 64 bytes.
  const fairnessKey = `${input.clientId.slice(-12)}:${partnerUid}`.slice(0, 64);
  return { summary: summaryOf(state, printOrderId), priority: { fairnessKey } };
}

/** Returns the summary of an activity about a print order in the Temporal UI. */
export function summaryOf(state: RunState, printOrderId: string): string {
  return `print order ${printOrderId}, ${printOrderOf(state, printOrderId).partnerUid}`;
}

/** Returns the outcome of a delivery that failed for good. Without a refusal, the time for retries is over. */
function undelivered(ended: Exclude<ActivityOutcome<unknown>, { outcome: 'done' }>) {
  const { message } = ended;
  if (ended.outcome !== 'refused') return { outcome: 'undeliverable', message } as const;
  // A partner's refusal has no details.
  return { outcome: ended.details === null ? 'refused' : 'unbuildable', message } as const;
}
