import { cancelItems, cancelRequested, partnerCancel } from './cancellation';
import { audit, setItems } from './changes';
import { deriveAttention, deriveItems, hasSettled } from './derive';
import { delivered, postback, prepared } from './production';
import { released, replaced, retried } from './repair';
import type { RunEffect, RunEvent } from './run-events';
import type { RunState } from './run-state';
import { dispatched, shippingChanged, tracked } from './shipping';
import { isFinal } from './statuses';

export interface Reduction {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

/**
 * The order lifecycle: one event in, the next state and what there is to do out. Pure.
 * An event that says nothing new gives the same state object, and no effects either (a label bought too late
 * is the exception: it changes nothing and is voided).
 */
export function reduce(state: RunState, event: RunEvent): Reduction {
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
    case 'void_failed': {
      const { printOrderId, shipmentId, message } = event;
      effects.push({ type: 'log', event: 'label_not_voided', printOrderId, data: { shipmentId, message } });
      return { ...state };
    }
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
