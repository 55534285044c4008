import { deriveAttention, deriveItems, hasSettled, jobStatus } from './derive';
import type { PlannedPrintOrder, PostbackEvent, RunEffect, RunEvent } from './run-events';
import {
  JOB_PROGRESS,
  type JobProgress,
  type JobState,
  type PrintOrderState,
  type RunState,
} from './run-state';
import { hasShipped, ITEM_TRANSITIONS, type ItemStatus, isFinal } from './statuses';

export interface Step {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

/**
 * The order lifecycle: one event in, the next state and what there is to do out. Pure.
 * An event that says nothing new gives the same state object, and no effects either (a label bought too late
 * is the exception: it changes nothing and is voided).
 */
export function reduce(state: RunState, event: RunEvent): Step {
  const effects: RunEffect[] = [];
  const changed = applyFacts(state, event, effects);
  if (changed === state) return { state, effects };
  const derived: RunState = { ...changed, items: deriveItems(changed) };
  const closed =
    derived.phase !== 'closed' &&
    derived.items.every((item) => isFinal(item.status)) &&
    derived.printOrders.every(hasSettled);
  const next: RunState = {
    ...derived,
    attention: deriveAttention(derived),
    phase: closed ? 'closed' : derived.phase,
    version: state.version + 1,
  };
  return { state: next, effects };
}

function applyFacts(state: RunState, event: RunEvent, effects: RunEffect[]): RunState {
  switch (event.type) {
    case 'fetching_files':
      return setItems(state, 'uploading');
    case 'refused':
      effects.push({ type: 'log', event: 'order_refused', data: { code: event.code, reason: event.reason } });
      return setItems(state, 'failed');
    case 'parked':
      // Said again at every try to plan it anew.
      if (state.attention.includes(event.reason)) return state;
      effects.push({
        type: 'log',
        event: 'order_parked',
        data: { reason: event.reason, message: event.message },
      });
      return { ...setItems(state, 'on_hold'), attention: [...state.attention, event.reason] };
    case 'prepared':
      return prepared(state, event.printOrders, effects);
    case 'delivery':
      return delivered(state, event, effects);
    case 'postback':
      return postback(state, event, effects);
    case 'dispatched':
      return dispatched(state, event, effects);
    case 'shipping_changed':
      return shippingChanged(state, event.revision, effects);
    case 'tracking':
      return tracked(state, event, effects);
    case 'cancel_requested':
      return cancelRequested(state, event, effects);
    case 'partner_cancel':
      return partnerCancel(state, event, effects);
    case 'deadline':
      effects.push({
        type: 'log',
        event: 'deadline_passed',
        printOrderId: event.printOrderId,
        data: { deadline: event.reason },
      });
      return { ...state, attention: [...new Set([...state.attention, event.reason])] };
    case 'hold':
      if (state.held) return state;
      effects.push(audit('hold', event));
      return { ...setItems({ ...state, held: true }, 'on_hold') };
    case 'release':
      if (!state.held) return state;
      effects.push(audit('release', event));
      return released(state, effects);
    case 'retry':
      return retried(state, event, effects);
    case 'replaced':
      return replaced(state, event, effects);
    case 'cancel_items':
      return cancelItems(state, event, effects);
  }
}

// Preparation ----------------------------------------------------------------------------------------

function setItems(state: RunState, status: ItemStatus): RunState {
  const items = state.items.map((item) =>
    ITEM_TRANSITIONS[item.status].includes(status) ? { ...item, status } : item,
  );
  return items.some((item, index) => item !== state.items[index]) ? { ...state, items } : state;
}

function newPrintOrder(planned: PlannedPrintOrder): PrintOrderState {
  return {
    id: planned.id,
    partnerId: planned.partnerId,
    partnerUid: planned.partnerUid,
    dispatchDate: planned.dispatchDate,
    reproducesId: planned.reproducesId,
    delivery: 'pending',
    jobs: planned.jobs.map((job) => ({
      ...job,
      progress: JOB_PROGRESS.none,
      progressAt: '',
      error: null,
      cancelledQuantity: 0,
      ended: null,
    })),
    shipment: null,
    cancel: null,
    transit: null,
  };
}

function prepared(state: RunState, planned: readonly PlannedPrintOrder[], effects: RunEffect[]): RunState {
  if (state.printOrders.length > 0) return state;
  // Items that were cancelled while the plan was being made.
  const cancelled = new Set(state.items.filter((item) => item.status === 'cancelled').map((item) => item.id));
  const printOrders = planned.map((plan) =>
    endJobs(newPrintOrder(plan), (job) => cancelled.has(job.itemId), 'cancelled before production', effects),
  );
  for (const printOrder of printOrders) {
    if (printOrder.jobs.every((job) => job.ended !== null)) continue;
    effects.push({ type: 'log', event: 'handed_over', printOrderId: printOrder.id });
    if (!state.held) effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
  }
  return { ...state, phase: state.phase === 'closed' ? 'closed' : 'running', printOrders };
}

// The partner's word ---------------------------------------------------------------------------------

function updatePrintOrder(
  state: RunState,
  id: string,
  update: (printOrder: PrintOrderState) => PrintOrderState,
): RunState {
  const index = state.printOrders.findIndex((printOrder) => printOrder.id === id);
  const before = state.printOrders[index];
  if (before === undefined) return state;
  const after = update(before);
  return after === before ? state : { ...state, printOrders: state.printOrders.with(index, after) };
}

function delivered(
  state: RunState,
  event: Extract<RunEvent, { type: 'delivery' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.delivery === event.outcome) return printOrder;
    if (event.outcome !== 'accepted') {
      effects.push({
        type: 'log',
        event: `print_order_${event.outcome}`,
        printOrderId: printOrder.id,
        data: { message: event.message },
      });
    }
    return { ...printOrder, delivery: event.outcome };
  });
}

const PROGRESS_OF = {
  received: JOB_PROGRESS.received,
  printed: JOB_PROGRESS.printed,
  shipped: JOB_PROGRESS.shipped,
} as const;

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function postback(state: RunState, event: PostbackEvent, effects: RunEffect[]): RunState {
  if (state.seen.includes(event.eventId)) return state;
  const seen = { ...state, seen: [...state.seen, event.eventId] };
  return updatePrintOrder(seen, event.printOrderId, (printOrder) => {
    effects.push(...postbackLog(printOrder, event));
    if (event.trackingCode !== null || event.trackingLink !== null) {
      effects.push({
        type: 'tracking_code',
        printOrderId: printOrder.id,
        trackingCode: event.trackingCode,
        trackingLink: event.trackingLink,
      });
    }
    const printed: JobState[] = [];
    const jobs = printOrder.jobs.map((job) => {
      if (event.jobId !== null && job.id !== event.jobId) return job;
      const next = jobAfter(job, event);
      if (job.progress < JOB_PROGRESS.printed && next.progress >= JOB_PROGRESS.printed) printed.push(next);
      return next;
    });
    consumeStock(printed, effects);
    // A word about the print order proves that it arrived, whatever became of the answer to its delivery.
    const arrived = printOrder.delivery === 'pending' || printOrder.delivery === 'undeliverable';
    const next: PrintOrderState = {
      ...printOrder,
      jobs,
      delivery: arrived ? 'accepted' : printOrder.delivery,
    };
    if (event.status !== 'cancelled' || printOrder.cancel === null) return next;
    return confirmCancel(next, (job) => job.cancelledQuantity === job.quantity, event.message ?? '', effects);
  });
}

/** What printed jobs were made of leaves the stock; units that the partner has cancelled took nothing. */
function consumeStock(printed: readonly JobState[], effects: RunEffect[]): void {
  if (printed.length === 0) return;
  const jobs = printed.map(({ id, quantity, cancelledQuantity }) => ({
    id,
    units: quantity - cancelledQuantity,
  }));
  effects.push({ type: 'consume_stock', jobs });
}

/** One line for the print order or for the item it names; a partial cancellation has one for each listed item. */
function postbackLog(printOrder: PrintOrderState, event: PostbackEvent): RunEffect[] {
  const line = (jobId: string | null, data: object): RunEffect => {
    const job = jobId === null ? undefined : printOrder.jobs.find((candidate) => candidate.id === jobId);
    return {
      type: 'log',
      event: `postback_${event.status}`,
      printOrderId: printOrder.id,
      ...(job === undefined ? {} : { itemId: job.itemId }),
      data: { at: event.at, ...(event.message === null ? {} : { message: event.message }), ...data },
    };
  };
  if (event.items === null) return [line(event.jobId, {})];
  return event.items.map(({ jobId, quantity }) => line(jobId, quantity === null ? {} : { quantity }));
}

function jobAfter(job: JobState, event: PostbackEvent): JobState {
  switch (event.status) {
    case 'received':
    case 'printed':
    case 'shipped': {
      const progress = Math.max(job.progress, PROGRESS_OF[event.status]) as JobProgress;
      return { ...job, progress, progressAt: later(job.progressAt, event.at) };
    }
    case 'error': {
      const newer =
        job.error === null ||
        event.at > job.error.at ||
        (event.at === job.error.at && (event.message ?? '') > job.error.message);
      return newer ? { ...job, error: { at: event.at, message: event.message ?? '' } } : job;
    }
    case 'cancelled': {
      const listed =
        event.items === null ? { quantity: null } : event.items.find((item) => item.jobId === job.id);
      if (listed === undefined) return job;
      const cancelled = listed.quantity ?? job.quantity;
      return { ...job, cancelledQuantity: Math.min(job.quantity, job.cancelledQuantity + cancelled) };
    }
  }
}

const TRANSIT_RANK = { in_transit: 1, delivered: 2, returned: 3 } as const;

function tracked(
  state: RunState,
  event: Extract<RunEvent, { type: 'tracking' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    const before = printOrder.transit === null ? 0 : TRANSIT_RANK[printOrder.transit];
    if (TRANSIT_RANK[event.transit] <= before) return printOrder;
    effects.push({ type: 'log', event: `tracking_${event.transit}`, printOrderId: printOrder.id });
    // A carrier that has the parcel knows better than a `shipped` that never came. A partner that did send one has
    // said what is in the parcel, and what the partner cannot make is not in it.
    const told = isHandedToCarrier(printOrder);
    const aboard = printOrder.jobs.filter(
      (job) => !told && job.ended === null && jobStatus(job, printOrder) !== 'manual_handling',
    );
    const jobs = printOrder.jobs.map((job) =>
      aboard.includes(job) ? { ...job, progress: JOB_PROGRESS.shipped } : job,
    );
    const unprinted = aboard.filter((job) => job.progress < JOB_PROGRESS.printed);
    consumeStock(unprinted, effects);
    return { ...printOrder, jobs, transit: event.transit };
  });
}

function dispatched(
  state: RunState,
  event: Extract<RunEvent, { type: 'dispatched' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.shipment?.id === event.shipmentId) return printOrder;
    const { shipmentId, revision } = event;
    // The address or method changed, or everything was cancelled, while the label was being bought.
    if (revision !== state.shippingRevision || printOrder.jobs.every((job) => job.ended !== null)) {
      effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId });
      return printOrder;
    }
    effects.push({
      type: 'log',
      event: 'dispatched',
      printOrderId: printOrder.id,
      data: { shipmentId, revision },
    });
    return { ...printOrder, shipment: { id: shipmentId, revision } };
  });
}

// Address and method ---------------------------------------------------------------------------------

function shippingChanged(state: RunState, revision: number, effects: RunEffect[]): RunState {
  if (revision <= state.shippingRevision) return state;
  effects.push({ type: 'log', event: 'shipping_changed', data: { revision } });
  const printOrders = state.printOrders.map((printOrder) => {
    if (printOrder.shipment === null || isHandedToCarrier(printOrder)) return printOrder;
    effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: printOrder.shipment.id });
    return { ...printOrder, shipment: null };
  });
  return { ...state, shippingRevision: revision, printOrders };
}

function isHandedToCarrier(printOrder: PrintOrderState): boolean {
  return printOrder.jobs.some((job) => job.progress === JOB_PROGRESS.shipped);
}

// Cancellation ---------------------------------------------------------------------------------------

/** Ends jobs for good; units that were not printed free their stock, and what was invoiced is refunded. */
function endJobs(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const ending = printOrder.jobs.filter(
    (job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped && isEnding(job),
  );
  if (ending.length === 0) return printOrder;
  const unprinted = ending.filter((job) => job.progress < JOB_PROGRESS.printed);
  if (unprinted.length > 0) effects.push({ type: 'release_stock', jobIds: unprinted.map((job) => job.id) });
  effects.push({
    type: 'refund',
    reason,
    jobIds: ending.map(({ id }) => id),
    items: ending.map(({ itemId, quantity }) => ({ itemId, quantity })),
  });
  const jobs = printOrder.jobs.map((job) =>
    ending.includes(job) ? { ...job, ended: 'cancelled' as const } : job,
  );
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}

function cancelRequested(
  state: RunState,
  event: Extract<RunEvent, { type: 'cancel_requested' }>,
  effects: RunEffect[],
): RunState {
  if (state.items.some((item) => hasShipped(item.status)) || state.phase === 'closed') return state;
  effects.push(audit('cancel_requested', event));
  if (state.phase === 'preparing') return setItems({ ...state, held: false }, 'cancelled');
  return {
    ...state,
    held: false,
    printOrders: state.printOrders.map((printOrder) =>
      cancelAtPartner(printOrder, () => true, event.reason, effects),
    ),
  };
}

/** A partner that may have taken the order is asked; one that surely has not needs no word. */
function cancelAtPartner(
  printOrder: PrintOrderState,
  isEnding: (job: JobState) => boolean,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const open = printOrder.jobs.filter((job) => job.ended === null && isEnding(job));
  if (open.length === 0) return printOrder;
  if (printOrder.delivery === 'refused' || open.every((job) => job.cancelledQuantity === job.quantity)) {
    return endJobs(printOrder, isEnding, reason, effects);
  }
  effects.push({
    type: 'request_partner_cancel',
    printOrderId: printOrder.id,
    jobIds: open.map((job) => job.id),
    reason,
  });
  return { ...printOrder, cancel: 'requested' };
}

/** The partner lets go of these jobs; the wish is fulfilled when none is left that could still be cancelled. */
function confirmCancel(
  printOrder: PrintOrderState,
  isLetGo: (job: JobState) => boolean,
  message: string,
  effects: RunEffect[],
): PrintOrderState {
  const next = endJobs(printOrder, isLetGo, message || 'cancelled', effects);
  const left = next.jobs.some((job) => job.ended === null && job.progress !== JOB_PROGRESS.shipped);
  return { ...next, cancel: left ? next.cancel : 'confirmed' };
}

function partnerCancel(
  state: RunState,
  event: Extract<RunEvent, { type: 'partner_cancel' }>,
  effects: RunEffect[],
): RunState {
  return updatePrintOrder(state, event.printOrderId, (printOrder) => {
    if (printOrder.cancel === 'confirmed') return printOrder;
    effects.push({
      type: 'log',
      event: `partner_cancel_${event.outcome}`,
      printOrderId: printOrder.id,
      data: { message: event.message },
    });
    // The word on jobs that an operator has cancelled or moved already: kept for the record.
    if (printOrder.cancel === null) return { ...printOrder };
    if (event.outcome === 'refused') return { ...printOrder, cancel: 'refused' };
    return confirmCancel(printOrder, () => true, event.message, effects);
  });
}

// Repair ---------------------------------------------------------------------------------------------

interface OperatorAct {
  readonly by: string;
  readonly reason: string;
}

function audit(action: string, { by, reason }: OperatorAct, data: object = {}): RunEffect {
  return { type: 'log', event: action, data: { by, reason, ...data } };
}

function released(state: RunState, effects: RunEffect[]): RunState {
  for (const printOrder of state.printOrders) {
    if (printOrder.delivery === 'pending' && printOrder.jobs.some((job) => job.ended === null)) {
      effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
    }
  }
  const passed: ItemStatus = state.phase === 'preparing' ? 'uploading' : 'passed';
  const items = state.items.map((item) => (item.status === 'on_hold' ? { ...item, status: passed } : item));
  return { ...state, held: false, items };
}

function retried(
  state: RunState,
  event: Extract<RunEvent, { type: 'retry' }>,
  effects: RunEffect[],
): RunState {
  if (state.phase === 'preparing') {
    effects.push(audit('retry', event, { itemIds: event.itemIds }));
    return { ...state };
  }
  const chosen = new Set(event.itemIds);
  let changed = false;
  const printOrders = state.printOrders.map((printOrder) => {
    const waiting = printOrder.jobs.filter(
      (job) =>
        chosen.has(job.itemId) &&
        jobStatus(job, printOrder) === 'manual_handling' &&
        job.cancelledQuantity === 0,
    );
    if (waiting.length === 0) return printOrder;
    changed = true;
    effects.push({ type: 'deliver_print_order', printOrderId: printOrder.id });
    const undelivered = printOrder.delivery === 'refused' || printOrder.delivery === 'undeliverable';
    return {
      ...printOrder,
      delivery: undelivered ? ('pending' as const) : printOrder.delivery,
      jobs: printOrder.jobs.map((job) => (waiting.includes(job) ? { ...job, error: null } : job)),
    };
  });
  if (!changed) return state;
  effects.push(audit('retry', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}

function replaced(
  state: RunState,
  event: Extract<RunEvent, { type: 'replaced' }>,
  effects: RunEffect[],
): RunState {
  if (state.printOrders.some((printOrder) => printOrder.id === event.printOrder.id)) return state;
  effects.push(audit(event.action, event, { printOrderId: event.printOrder.id, replaces: event.replaces }));
  const quantities = new Map(event.replaces.map(({ jobId, quantity }) => [jobId, quantity]));
  let touched = 0;
  const printOrders = state.printOrders.map((printOrder) => {
    const next = withoutUnits(printOrder, quantities, event.reason, effects);
    if (next !== printOrder) touched += 1;
    return next;
  });
  const replacement = newPrintOrder(event.printOrder);
  if (state.phase === 'closed' || (touched === 0 && event.replaces.length > 0)) {
    // What it was to take over has shipped, or the order has ended, while it was planned.
    effects.push({ type: 'release_stock', jobIds: replacement.jobs.map((job) => job.id) });
    const jobs = replacement.jobs.map((job) => ({ ...job, ended: 'superseded' as const }));
    return { ...state, printOrders: [...printOrders, { ...replacement, jobs }] };
  }
  effects.push({ type: 'deliver_print_order', printOrderId: replacement.id });
  return { ...state, printOrders: [...printOrders, replacement] };
}

/** A print order some of whose units another one takes over; the partner is asked to leave whole jobs. */
function withoutUnits(
  printOrder: PrintOrderState,
  quantities: ReadonlyMap<string, number>,
  reason: string,
  effects: RunEffect[],
): PrintOrderState {
  const touched = printOrder.jobs.filter(
    (job) =>
      quantities.has(job.id) &&
      job.ended === null &&
      (job.progress !== JOB_PROGRESS.shipped || job.cancelledQuantity > 0),
  );
  if (touched.length === 0) return printOrder;
  const superseded = touched.filter((job) => quantities.get(job.id)! >= job.quantity);
  const unprinted = superseded.filter((job) => job.progress < JOB_PROGRESS.printed);
  if (unprinted.length > 0) effects.push({ type: 'release_stock', jobIds: unprinted.map((job) => job.id) });
  const stillThere = superseded.filter((job) => job.cancelledQuantity < job.quantity);
  if (stillThere.length > 0 && printOrder.delivery !== 'refused') {
    effects.push({
      type: 'request_partner_cancel',
      printOrderId: printOrder.id,
      jobIds: stillThere.map((job) => job.id),
      reason,
    });
  }
  const jobs = printOrder.jobs.map((job): JobState => {
    if (!touched.includes(job)) return job;
    const moved = quantities.get(job.id)!;
    if (moved >= job.quantity) return { ...job, ended: 'superseded' };
    const cancelledQuantity = Math.max(0, job.cancelledQuantity - moved);
    return { ...job, quantity: job.quantity - moved, cancelledQuantity, error: null };
  });
  return withoutUnusedLabel({ ...printOrder, jobs }, effects);
}

/** Labels of a print order that has nothing left to ship are taken back. */
function withoutUnusedLabel(printOrder: PrintOrderState, effects: RunEffect[]): PrintOrderState {
  const { shipment } = printOrder;
  if (shipment === null || printOrder.jobs.some((job) => job.ended === null)) return printOrder;
  effects.push({ type: 'void_shipment', printOrderId: printOrder.id, shipmentId: shipment.id });
  return { ...printOrder, shipment: null };
}

function cancelItems(
  state: RunState,
  event: Extract<RunEvent, { type: 'cancel_items' }>,
  effects: RunEffect[],
): RunState {
  const chosen = new Set(event.itemIds);
  if (state.phase === 'preparing') {
    const items = state.items.map((item) =>
      chosen.has(item.id) && ITEM_TRANSITIONS[item.status].includes('cancelled')
        ? { ...item, status: 'cancelled' as const }
        : item,
    );
    effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
    return { ...state, items };
  }
  const before = effects.length;
  const printOrders = state.printOrders.map((printOrder) => {
    const isEnding = (job: JobState) => chosen.has(job.itemId);
    const open = printOrder.jobs.filter((job) => job.ended === null && isEnding(job));
    const known = open.filter(
      (job) => job.cancelledQuantity < job.quantity && job.progress !== JOB_PROGRESS.shipped,
    );
    if (known.length > 0 && printOrder.delivery !== 'refused') {
      effects.push({
        type: 'request_partner_cancel',
        printOrderId: printOrder.id,
        jobIds: known.map((job) => job.id),
        reason: event.reason,
      });
    }
    return endJobs(printOrder, isEnding, event.reason, effects);
  });
  if (effects.length === before) return state;
  effects.push(audit('cancel_items', event, { itemIds: event.itemIds }));
  return { ...state, printOrders };
}
