import { deriveAttention, PARKING_REASONS } from './attention';
import { cancelItems, cancelRequested, partnerCancel } from './cancellation';
import { cancelUnits } from './cancelled-units';
import { isBeforePlanning, raiseAttention, setItems } from './changes';
import { deriveItems, hasSettled } from './derive';
import { hasPrintOrder, keepEarly } from './early-events';
import { refundItems, refuseRequestedUnits } from './ended-units';
import { fileReplaced, orderUpdated, refuseReplacedFiles } from './order-updates';
import { delivered, markedShipped, postback, prepared } from './production';
import { acceptedFiles, dismissed, held, released, retried } from './repairs/repairs';
import { rerouteDue, rerouted, rerouteForced, settleReroutes } from './repairs/reroute';
import type { EventOf, RunEffect, RunEvent } from './run-events';
import type { RunState } from './run-state';
import { dispatched, shippingChanged, tracked } from './shipping';
import { isFinal } from './statuses';
import { checkTransitions, type RefusedChange } from './transitions';

export interface Reduction {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
  /** Status changes that the transition table does not list. They were not made. Always empty, unless there is a bug. */
  readonly refused: readonly RefusedChange[];
}

/**
 * Applies one event to the state of an order run. Pure: the workflow carries out the effects.
 * An event without news returns the same state object and no effects. One exception: a label that was bought too late
 * leaves the state as it is and is voided.
 */
export function reduce(state: RunState, event: RunEvent): Reduction {
  const effects: RunEffect[] = [];
  const changed = settleReroutes(applyEvent(state, event, effects), effects);
  if (changed === state) return { state, effects, refused: [] };
  const { items, refused } = checkTransitions(state.items, deriveItems(changed));
  const derived: RunState = { ...changed, items };
  const closed =
    derived.phase !== 'closed' &&
    derived.items.every((item) => isFinal(item.status)) &&
    derived.printOrders.every(hasSettled);
  effects.push(...cancelledUnits(derived, effects));
  const next: RunState = {
    ...derived,
    ...(closed
      ? {
          printOrders: derived.printOrders.map((each) =>
            refuseReplacedFiles(refuseRequestedUnits(each, DELIVERED, effects), effects),
          ),
        }
      : {}),
    attention: deriveAttention(derived),
    phase: closed ? 'closed' : derived.phase,
    version: state.version + 1,
  };
  return { state: next, effects, refused };
}

/** Why a request to a partner that has not responded is refused. */
const DELIVERED = 'the parcels were delivered';

function applyEvent(state: RunState, event: RunEvent, effects: RunEffect[]): RunState {
  switch (event.type) {
    case 'fetching_files':
      return setItems(state, 'uploading', (status) => status === 'created');
    case 'refused':
      effects.push({ type: 'log', event: 'order_refused', data: { code: event.code, reason: event.reason } });
      return setItems(state, 'failed', isBeforePlanning);
    case 'parked':
      return parked(state, event, effects);
    case 'prepared':
      return prepared(state, event, effects);
    case 'delivery':
      return delivered(state, event, effects);
    case 'postback':
      return hasPrintOrder(state, event) ? postback(state, event, effects) : keepEarly(state, event);
    case 'dispatched':
      return dispatched(state, event, effects);
    case 'dispatch_failed': {
      const { printOrderId, message } = event;
      effects.push({ type: 'log', event: 'dispatch_failed', printOrderId, data: { message } });
      return raiseAttention(state, 'dispatch_failed');
    }
    case 'shipping_changed':
      return shippingChanged(state, event, effects);
    case 'file_replaced':
      return fileReplaced(state, event, effects);
    case 'order_update':
      return orderUpdated(state, event, effects);
    case 'record_skipped':
      effects.push({ type: 'log', event: 'record_skipped' });
      return raiseAttention(state, 'out_of_step');
    case 'record_refused':
      if (state.attention.includes('record_refused')) return state;
      effects.push({ type: 'log', event: 'record_refused' });
      return raiseAttention(state, 'record_refused');
    case 'flagged': {
      const { reason, message, steps } = event;
      return raiseAttention(steps === undefined ? state : { ...state, stalled: { steps, message } }, reason);
    }
    case 'stall_ended': {
      const { stalled: _ended, ...rest } = state;
      return rest;
    }
    case 'tracking_checked':
      if (event.followed) return state;
      effects.push({ type: 'log', event: 'untracked_order_ended' });
      return { ...state };
    case 'dismiss':
      return dismissed(state, event, effects);
    case 'void_failed': {
      const { printOrderId, shipmentId, message } = event;
      effects.push({ type: 'log', event: 'label_not_voided', printOrderId, data: { shipmentId, message } });
      return { ...state };
    }
    case 'tracking':
      if (hasPrintOrder(state, event)) return tracked(state, event, effects);
      // A running order ignores scans of parcels that it does not have.
      return state.phase === 'preparing' ? keepEarly(state, event) : state;
    case 'cancel_requested':
      return cancelRequested(state, event, effects);
    case 'partner_cancel':
      return partnerCancel(state, event, effects);
    case 'deadline': {
      const { printOrderId, reason } = event;
      effects.push({ type: 'log', event: 'deadline_passed', printOrderId, data: { deadline: reason } });
      return raiseAttention(state, reason);
    }
    case 'reminded': {
      const { printOrderId, count } = event;
      effects.push({ type: 'log', event: 'print_order_reminded', printOrderId, data: { reminder: count } });
      return { ...state };
    }
    case 'hold':
      return held(state, event, effects);
    case 'release':
      return released(state, event, effects);
    case 'accept_files':
      return acceptedFiles(state, event, effects);
    case 'retry':
      return retried(state, event, effects);
    case 'rerouted':
      return rerouted(state, event, effects);
    case 'reroute_forced':
      return rerouteForced(state, event, effects);
    case 'reroute_due':
      return rerouteDue(state, event, effects);
    case 'cancel_items':
      return cancelItems(state, event, effects);
    case 'cancel_units':
      return cancelUnits(state, event, effects);
    case 'refund_items':
      return refundItems(state, event, effects);
    case 'mark_shipped':
      return markedShipped(state, event, effects);
  }
}

/** Returns the log entries of units that have ended while the rest of their item goes on. Clients are notified of them. */
function cancelledUnits({ items }: RunState, effects: readonly RunEffect[]): RunEffect[] {
  const ended = effects.flatMap((effect) => (effect.type === 'refund' ? effect.items : []));
  return items.flatMap(({ id, status }): RunEffect[] => {
    const quantity = ended.reduce((sum, each) => (each.itemId === id ? sum + each.quantity : sum), 0);
    if (quantity === 0 || status === 'cancelled') return [];
    return [{ type: 'log', event: 'units_cancelled', itemId: id, data: { quantity } }];
  });
}

/** The order cannot be planned yet. The event repeats after every failed attempt to plan it. */
function parked(state: RunState, event: EventOf<'parked'>, effects: RunEffect[]): RunState {
  const { reason, message } = event;
  if (state.attention.includes(reason)) return state;
  effects.push({ type: 'log', event: PARKING_REASONS[reason], data: { reason, message } });
  const attention = state.attention.filter((other) => !(other in PARKING_REASONS));
  return raiseAttention(setItems({ ...state, attention }, 'on_hold', isBeforePlanning), reason);
}
