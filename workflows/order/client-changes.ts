import {
  CANCELLATIONS,
  type Cancellation,
  cancellableUnits,
  cancellationOf,
  unitsCancellationOf,
} from '../../src/orders/domain/lifecycle/facts/cancellations';
import { deriveStatus } from '../../src/orders/domain/lifecycle/facts/items';
import { type ItemUnits, RUN_REFUSALS, requestedBy } from '../../src/orders/domain/lifecycle/requests';
import { whyNotCancel, whyNotCancelUnits, whyNotChangeShipping } from '../../src/orders/domain/lifecycle/rules/guards';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import { hasShipped } from '../../src/orders/domain/lifecycle/statuses';
import type { CancelRequest, CancelResult } from '../../src/orders/domain/run/run-messages';
import { planning } from './activities';
import type { Handover } from './handover';
import { orRefuse, refuse, refuseWith } from './refusals';
import { Mutex, type RunContext, untilInHistory } from './run-context';
import type { Submission } from './submission';

export class ClientChanges {
  /** Takes one cancel at a time. Those that arrive together would ask partners for the units of the last one only. */
  private readonly cancels = new Mutex();

  constructor(
    private readonly run: RunContext,
    private readonly submission: Submission,
    private readonly handover: Handover,
  ) {}

  async changeShipping(changeId: string): Promise<{ revision: number }> {
    await untilInHistory();
    refuseWith(whyNotChangeShipping(this.run.state));
    const change = { ...this.run.ids, changeId };
    const result = await this.run.plans.run(() => orRefuse(planning.applyShippingChange(change)));
    if (result.outcome === 'refused') {
      const type = result.reference === undefined ? RUN_REFUSALS.conflict : RUN_REFUSALS.invalid;
      throw refuse(type, result.message, result.reference);
    }
    this.run.take({ type: 'shipping_changed', revision: result.revision });
    await this.run.settled();
    // An order that waits, for another address or for a partner, can go on now.
    if (this.submission.parked !== null) this.submission.planAgain();
    return { revision: result.revision };
  }

  async cancel(request: CancelRequest): Promise<CancelResult> {
    await untilInHistory();
    const { chosen, ofUnits, isNew } = await this.cancels.run(async () => {
      const taken = await this.takeCancel(request);
      await this.run.settled();
      return taken;
    });
    if (isNew || ofUnits.length > 0) await this.handover.responses();
    const { state } = this.run;
    const whole = cancellationOf(state, chosen);
    // An event that came before the request can have shipped the items.
    if (whole === null) refuseWith(whyNotCancel(state, chosen));
    const of = [whole ?? 'requested', unitsCancellationOf(state, ofUnits)];
    return { fulfillmentStatus: deriveStatus(state), cancellation: worstOf(of) };
  }

  /** @returns the ids of the items to cancel and of those that lose units, and whether the items were not to be cancelled before */
  private async takeCancel(request: CancelRequest) {
    // Events that came before the request can have shipped its units.
    await this.run.settled();
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
      if (isWhole && phase === 'preparing') this.submission.stop();
      this.run.take(
        isWhole
          ? { type: 'cancel_requested', ...who }
          : { type: 'cancel_items', ...who, itemIds: chosen, asksOnly: true },
      );
    }
    return { chosen, ofUnits, isNew };
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
