import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import type {
  EventOf,
  PostbackEvent,
  RunEffect,
  RunEvent,
} from '../../../../../src/orders/domain/lifecycle/run-events';
import {
  initialRunState,
  type JobState,
  type PlannedPrintOrder,
  type PrintOrderState,
  type RunState,
} from '../../../../../src/orders/domain/lifecycle/run-state';

/** Order runs for tests of the lifecycle: two items (three posters and a sticker) at one partner. */

export const POSTER = { jobId: '701', itemId: '1' };
export const STICKER = { jobId: '702', itemId: '2' };

export function plan(more: Partial<PlannedPrintOrder> = {}): PlannedPrintOrder {
  return {
    id: '501',
    partnerId: 'berlin',
    partnerUid: 'prints-berlin',
    dispatchDate: '2026-01-09',
    dispatchDueAt: '2026-01-10T00:00:00Z',
    reproducesId: null,
    jobs: [
      { id: POSTER.jobId, itemId: POSTER.itemId, quantity: 3 },
      { id: STICKER.jobId, itemId: STICKER.itemId, quantity: 1 },
    ],
    ...more,
  };
}

export const newOrder = (): RunState =>
  initialRunState([
    { id: POSTER.itemId, quantity: 3 },
    { id: STICKER.itemId, quantity: 1 },
  ]);

/** Applies events one after the other. @throws Error for a status change that the transition table does not list */
export function play(state: RunState, ...events: readonly RunEvent[]): { state: RunState; effects: RunEffect[] } {
  let now = state;
  const effects: RunEffect[] = [];
  for (const event of events) {
    const step = reduce(now, event);
    now = step.state;
    if (step.refused.length > 0) throw new Error(`${event.type} has refused changes: ${JSON.stringify(step.refused)}`);
    effects.push(...step.effects);
  }
  return { state: now, effects };
}

/** The partner's response to the delivery of its print order. */
export const delivery = (
  outcome: 'accepted' | 'refused' | 'undeliverable' | 'unbuildable',
  message = '',
): RunEvent => ({
  type: 'delivery',
  printOrderId: '501',
  outcome,
  message,
});
export const accepted = delivery('accepted');
export const prepared: RunEvent = { type: 'prepared', printOrders: [plan()] };
export const dispatched = { type: 'dispatched', printOrderId: '501', shipmentId: 's1', revision: 0 } satisfies RunEvent;

/** An order whose print order its partner has accepted. */
export const running = (): RunState => play(newOrder(), { type: 'fetching_files' }, prepared, accepted).state;

/** An order whose partner has accepted its print order, after these events. */
export const having = (...events: readonly RunEvent[]): RunState => play(running(), ...events).state;

let events = 0;

/** A postback about the whole print order, one second after the last. */
export function postback(status: PostbackEvent['status'], more: Partial<PostbackEvent> = {}): PostbackEvent {
  events += 1;
  return {
    type: 'postback',
    eventId: `e${events}`,
    printOrderId: '501',
    status,
    at: new Date(Date.UTC(2026, 0, 5, 10, 0, events)).toISOString(),
    message: status === 'error' ? 'no ink' : null,
    jobId: null,
    items: null,
    trackingCode: null,
    trackingLink: null,
    ...more,
  };
}

/** The partner has cancelled units of the poster. */
export const cancelled = (quantity: number | null): PostbackEvent =>
  postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity }] });

/** The partner's response to a cancel request. @param jobIds absent: of the whole print order */
export const cancelResponse = (outcome: 'confirmed' | 'refused', jobIds?: string[]): RunEvent => ({
  type: 'partner_cancel',
  printOrderId: '501',
  ...(jobIds === undefined ? {} : { jobIds }),
  outcome,
  message: 'said the partner',
});

/** The partner's response to an order update. */
export const update = (outcome: EventOf<'order_update'>['outcome'], revision = 1): RunEvent => ({
  type: 'order_update',
  printOrderId: '501',
  revision,
  outcome,
  message: 'no',
});

/** The carrier has scanned a label. */
export const scanned = (shipmentId: string, transit: 'in_transit' | 'delivered'): RunEvent => ({
  type: 'tracking',
  eventId: `${shipmentId}:${transit}`,
  printOrderId: '501',
  shipmentId,
  parcels: [{ number: `label of ${shipmentId}`, transit }],
});

export const tracked = (transit: 'in_transit' | 'delivered' | 'returned', printOrderId = '501'): RunEvent => ({
  type: 'tracking',
  eventId: `${printOrderId}:${transit}`,
  printOrderId,
  parcels: [{ number: 'OWN-1', transit }],
});

export const byOperator = { by: 'operator', reason: 'agreed by phone' };
export const hold: RunEvent = { type: 'hold', ...byOperator };
export const release: RunEvent = { type: 'release', ...byOperator };
export const cancelRequested: RunEvent = { type: 'cancel_requested', by: 'client', reason: 'no' };

export const statuses = ({ items }: RunState): string[] => items.map(({ status }) => status);
export const printOrder = (state: RunState, id = '501'): PrintOrderState =>
  state.printOrders.find((candidate) => candidate.id === id)!;
export const job = (state: RunState, id: string): JobState =>
  state.printOrders.flatMap(({ jobs }) => jobs).find((candidate) => candidate.id === id)!;
export const kinds = (effects: readonly RunEffect[]): string[] =>
  effects.map((effect) => (effect.type === 'log' ? effect.event : effect.type));
