import { cancellableUnits, printOrdersToUpdate } from '../facts/cancellations';
import { deriveStatus } from '../facts/items';
import { hasCancelledUnits, isAskedForUnits, jobStatus, unitsToShip } from '../facts/jobs';
import { isWithPartner, reroutedJobs, reroutedUnits, waitingRerouteOf } from '../facts/reroutes';
import {
  type ItemUnits,
  type MovedPromise,
  type RepairRequest,
  type RerouteRequest,
  RUN_REFUSALS,
  type UnitsForce,
} from '../requests';
import { JOB_PROGRESS, type JobState, type PrintOrderState, type RunState, type WaitingReroute } from '../run-state';
import { hasShipped, type OrderStatus } from '../statuses';
import { isDismissable } from './attention';

/**
 * Why an order run refuses a request. Null means that the run accepts it.
 * `type` is one of RUN_REFUSALS.
 */
export type RunRefusal = { readonly type: string; readonly message: string } | null;

const conflict = (message: string): RunRefusal => ({ type: RUN_REFUSALS.conflict, message });
const unless = (isAccepted: boolean, message: string): RunRefusal => (isAccepted ? null : conflict(message));

/** Returns why a print order cannot be dispatched: its partner must have it, and units must be left to ship. */
export function whyNotDispatch(state: RunState, printOrderId: string): RunRefusal {
  const printOrder = state.printOrders.find((candidate) => candidate.id === printOrderId);
  if (printOrder === undefined)
    return { type: RUN_REFUSALS.notReady, message: `print order ${printOrderId} was not handed over yet` };
  if (printOrder.shipment !== null) return null;
  if (printOrder.delivery === 'refused') return conflict(`print order ${printOrderId} was refused`);
  const open = printOrder.jobs.filter((job) => job.ended === null && job.cancelledQuantity < job.quantity);
  if (open.length === 0) return conflict(`print order ${printOrderId} is cancelled`);
  if (printOrder.delivery !== 'accepted') {
    return { type: RUN_REFUSALS.notReady, message: `print order ${printOrderId} is not confirmed yet` };
  }
  if (state.held) return conflict(`print order ${printOrderId} is on hold`);
  if (state.attention.includes('step_fails_process')) {
    return conflict(`print order ${printOrderId} waits for an operator: a step of its order fails`);
  }
  if (open.every((job) => job.progress === JOB_PROGRESS.shipped)) {
    return conflict(`print order ${printOrderId} has shipped without these documents`);
  }
  return null;
}

/**
 * Returns why a client cannot cancel items. An item can be cancelled until it has shipped. To cancel what is cancelled
 * changes nothing and is no error.
 * @param itemIds undefined for all that have not shipped
 */
export function whyNotCancel({ items }: RunState, itemIds?: readonly string[]): RunRefusal {
  if (items.every((item) => item.status === 'failed')) return conflict('a refused order cannot be cancelled');
  if (itemIds !== undefined) {
    const hasLeft = items.some(({ id, status }) => itemIds.includes(id) && hasShipped(status));
    return unless(!hasLeft, 'an item that has shipped cannot be cancelled');
  }
  const wanted = items.filter(({ status }) => status !== 'cancelled');
  const hasLeft = wanted.length > 0 && wanted.every(({ status }) => hasShipped(status));
  return hasLeft ? conflict('an order that has shipped cannot be cancelled') : null;
}

/**
 * Returns why single units of items cannot be cancelled. A partner that makes the rest of an item has to agree, in its response
 * to an order update.
 * @param withoutUpdates ids of the print orders whose partners take no order updates
 * @param force true for an operator, who also ends units without the agreement of a partner that was asked, or takes no updates
 */
export function whyNotCancelUnits(
  state: RunState,
  units: readonly ItemUnits[],
  { withoutUpdates }: UnitsForce,
  force: boolean,
): RunRefusal {
  for (const { itemId, quantity } of units) {
    const left = cancellableUnits(state, itemId);
    if (quantity > left) return conflict(`only ${left} units of item ${itemId} can be cancelled`);
    if (waitingRerouteOf(state, itemId) !== undefined) {
      return conflict(`item ${itemId} is being rerouted: repeat the request later, or cancel the whole item`);
    }
  }
  for (const { printOrder, jobs } of printOrdersToUpdate(state, units)) {
    const isAsked = ({ unitsRequest }: JobState) => unitsRequest !== undefined;
    if (printOrder.jobs.some(isAskedForUnits) && !(force && jobs.every(isAsked))) {
      return conflict(
        'a print partner has not responded to an earlier request to cancel units: repeat the request later',
      );
    }
    if (!force && withoutUpdates.includes(printOrder.id)) {
      return conflict(
        'the print partner of the units takes no changes of quantities: only whole items can be cancelled',
      );
    }
  }
  return null;
}

/**
 * Returns why the address or the method of an order cannot be changed. Both can be changed until the order has shipped,
 * that is, until its last item has. The items that have left keep theirs.
 */
export function whyNotChangeShipping(state: RunState): RunRefusal {
  return whyStatusForbids(deriveStatus(state), 'changed');
}

/**
 * Returns why an order cannot be cancelled or changed, from the status in its row. It needs no workflow: the workflow may
 * have completed, or Temporal may be unavailable. The workflow checks again.
 */
export function whyStatusForbids(status: OrderStatus, what: 'cancelled' | 'changed'): RunRefusal {
  if (status === 'canceled') return what === 'cancelled' ? null : conflict('the order is cancelled');
  if (status === 'failed') return conflict(`a refused order cannot be ${what}`);
  return hasShipped(status) ? conflict(`an order that has shipped cannot be ${what}`) : null;
}

type RepairAction = RepairRequest['action'];
type Guard<Action> = (state: RunState, request: RepairRequest & { readonly action: Action }) => RunRefusal;

/** Why each repair of an open order cannot be applied. */
const GUARDS: { readonly [Action in RepairAction]: Guard<Action> } = {
  hold({ held, items }) {
    if (held) return conflict('the order is on hold already');
    return unless(!items.some(({ status }) => hasShipped(status)), 'the order has shipped');
  },
  release: ({ held }) => unless(held, 'the order is not on hold'),
  dismiss: ({ attention }) =>
    unless(
      attention.some(isDismissable),
      'the order is still open: its attention reasons disappear when their causes are repaired',
    ),
  cancel({ items }, { itemIds }) {
    const chosen = items.filter(({ id }) => itemIds.includes(id));
    if (chosen.some(({ status }) => hasShipped(status))) {
      return conflict('an item that has shipped cannot be cancelled');
    }
    return unless(!chosen.every(({ status }) => status === 'cancelled'), 'the items are cancelled');
  },
  accept_files: ({ attention }) => unless(attention.includes('file_check'), 'no print file waits to be accepted'),
  accept_address: ({ attention }) => unless(attention.includes('address_check'), 'no address waits to be accepted'),
  retry: (state, { itemIds }) => unless(canRetry(state, itemIds), 'none of these items can be retried'),
  refund: (state, { itemIds }) =>
    unless(
      jobsOf(state, itemIds).some(({ job }) => hasCancelledUnits(job)),
      'partners have cancelled no units of these items',
    ),
  /** The partner must have the print order, and units must be left to ship. */
  mark_shipped({ printOrders }, { printOrderId }) {
    const printOrder = printOrders.find(({ id }) => id === printOrderId);
    if (printOrder === undefined) {
      return { type: RUN_REFUSALS.invalid, message: `the order has no print order ${printOrderId}` };
    }
    if (unitsToShip(printOrder).length === 0) return conflict(`print order ${printOrderId} has shipped or ended`);
    return unless(printOrder.delivery === 'accepted', `print order ${printOrderId} is not confirmed by its partner`);
  },
  move_promise: ({ printOrders }, { promises }) =>
    unless(
      printOrders.some((each) => unitsToShip(each).length > 0 && promises.some((moved) => isMove(each, moved))),
      'the order has no print order whose promise moves',
    ),
  reroute: (state, request) =>
    whyNotMove(state, request.itemId) ??
    unless(reroutedUnits(state, request).length > 0, `item ${request.itemId} has no units that can be rerouted`),
  reproduce: (state, { itemId }) =>
    whyNotMove(state, itemId) ??
    unless(
      jobsOf(state, [itemId]).some(({ job }) => job.ended !== 'cancelled'),
      `item ${itemId} is not in production`,
    ),
};

/** Returns true when a promise gives a print order another day of dispatch. */
export const isMove = ({ id, dispatchDate }: PrintOrderState, moved: MovedPromise): boolean =>
  moved.printOrderId === id && moved.dispatchDate !== dispatchDate;

/** Repairs of an order that is on hold. */
const ON_HOLD: readonly RepairAction[] = ['move_promise', 'hold', 'release', 'dismiss', 'cancel'];

/** Returns why an operator's repair cannot be applied. */
export function whyNotRepair(state: RunState, request: RepairRequest): RunRefusal {
  if (state.phase === 'closed') return conflict('the order has ended');
  const itemIds = 'itemIds' in request ? request.itemIds : 'itemId' in request ? [request.itemId] : [];
  const unknown = itemIds.find((id) => !state.items.some((item) => item.id === id));
  if (unknown !== undefined) return { type: RUN_REFUSALS.invalid, message: `the order has no item ${unknown}` };
  if (state.held && !ON_HOLD.includes(request.action)) return conflict('the order is on hold: release it first');
  const waiting = 'itemId' in request ? waitingRerouteOf(state, request.itemId) : undefined;
  if (waiting !== undefined) return whyNotForce(waiting, request as RerouteRequest);
  return (GUARDS[request.action] as Guard<RepairAction>)(state, request);
}

/** Returns the print jobs of items. */
function jobsOf({ printOrders }: RunState, itemIds: readonly string[]) {
  return printOrders.flatMap((printOrder) =>
    printOrder.jobs.flatMap((job) => (itemIds.includes(job.itemId) ? [{ job, printOrder }] : [])),
  );
}

/**
 * Before production a retry fetches the files, or plans the order, again now. Afterwards it delivers the print orders that
 * wait for an operator again. A step that fails its process is tried again in both cases.
 */
function canRetry(state: RunState, itemIds: readonly string[]): boolean {
  if (state.attention.includes('step_fails_process')) return true;
  if (state.phase === 'preparing') {
    return state.items.some(
      ({ id, status }) => itemIds.includes(id) && (status === 'on_hold' || status === 'uploading'),
    );
  }
  return jobsOf(state, itemIds).some(
    ({ job, printOrder }) =>
      job.cancelledQuantity === 0 && job.stopRequest !== 'waiting' && jobStatus(job, printOrder) === 'manual_handling',
  );
}

/** Returns why the units of an item stay where they are: a partner was asked not to make some, and has not responded. */
const whyNotMove = (state: RunState, itemId: string): RunRefusal =>
  unless(
    !jobsOf(state, [itemId]).some(({ job }) => isAskedForUnits(job)),
    'a partner has not responded to a request to cancel units of the item: cancel them again to end them',
  );

/** Returns why the wait of a reroute cannot end: only a request for the same reroute with `force` ends it. */
function whyNotForce({ printOrder }: WaitingReroute, request: RerouteRequest): RunRefusal {
  const { itemId, partnerId, quantity, force } = request;
  const isSame =
    (partnerId === null || partnerId === printOrder.partnerId) &&
    (quantity === null || quantity === printOrder.jobs.reduce((sum, job) => sum + job.quantity, 0));
  if (force === true && isSame) return null;
  const what = `print order ${printOrder.id} at ${printOrder.partnerUid}`;
  return conflict(
    `item ${itemId} waits until its partner agrees to stop; ${what} is then delivered. Set force to deliver it now`,
  );
}

/**
 * Returns why units cannot be rerouted without `force`. A partner can be asked to stop whole print jobs
 * only, not some units of one.
 */
export function whyNotRerouteUnits(state: RunState, request: RerouteRequest): RunRefusal {
  // What has shipped is made again as a whole, or in addition.
  if (request.force === true || request.claimed === true) return null;
  const partial = reroutedJobs(state, reroutedUnits(state, request)).find(
    (units) => isWithPartner(units) && units.quantity < units.job.quantity,
  );
  if (partial === undefined) return null;
  const { job, printOrder } = partial;
  return conflict(
    `${printOrder.partnerUid} makes all ${job.quantity} units of item ${request.itemId} and cannot be asked to stop some: ` +
      'leave out the quantity, or set force',
  );
}
