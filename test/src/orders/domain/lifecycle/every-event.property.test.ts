import fc from 'fast-check';
import { ATTENTION_REASONS } from '../../../../../src/orders/domain/lifecycle/attention-reasons';
import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import { ITEM_TRANSITIONS } from '../../../../../src/orders/domain/lifecycle/rules/transitions';
import type { EventOf, RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import { isFinal } from '../../../../../src/orders/domain/lifecycle/statuses';
import { POSTBACK_STATUSES } from '../../../../../src/partners/domain/partner-protocol';
import { newOrder, POSTER, plan, play, postback, STICKER } from './run-fixture';

/** Random sequences of every kind of event, from submission on: also sequences that no partner or operator would cause. */

const request = { by: 'operator', reason: 'agreed by phone' };
const printOrderId = fc.constantFrom('501', '502', '999');
const itemIds = fc.constantFrom([POSTER.itemId], [STICKER.itemId], [POSTER.itemId, STICKER.itemId]);
const shipmentId = fc.constantFrom('s1', 's2');
const revision = fc.constantFrom(0, 1, 2);
const one = <T>(value: T) => fc.constant(value);

/** Generators by type of event. A type without an entry does not compile. */
const EVENTS: { [Type in RunEvent['type']]: fc.Arbitrary<EventOf<Type>> } = {
  fetching_files: one({ type: 'fetching_files' }),
  refused: one({ type: 'refused', code: 'x', reason: 'y', details: null }),
  parked: fc.record({
    type: one('parked'),
    reason: fc.constantFrom('no_partner', 'file_check', 'address_check'),
    message: one('cannot be planned'),
  }),
  prepared: one({ type: 'prepared', printOrders: [plan()] }),
  delivery: fc.record({
    type: one('delivery'),
    printOrderId,
    outcome: fc.constantFrom('accepted', 'refused', 'undeliverable', 'unbuildable'),
    message: one(''),
  }),
  postback: fc
    .record({
      status: fc.constantFrom(...POSTBACK_STATUSES),
      printOrderId,
      jobId: fc.constantFrom(null, POSTER.jobId, STICKER.jobId, '801'),
      quantity: fc.constantFrom(null, 1, 3),
      minute: fc.integer({ min: 10, max: 15 }),
    })
    .map(({ status, jobId, quantity, minute, ...rest }) => {
      const isList = status === 'cancelled' && jobId !== null;
      return postback(status, {
        ...rest,
        at: `2026-01-05T10:${minute}:00.000Z`,
        jobId: isList ? null : jobId,
        items: isList ? [{ jobId, quantity }] : null,
      });
    }),
  dispatched: fc.record({ type: one('dispatched'), printOrderId, shipmentId, revision }),
  dispatch_failed: fc.record({ type: one('dispatch_failed'), printOrderId, message: one('no such street') }),
  shipping_changed: fc.record({ type: one('shipping_changed'), revision }),
  file_replaced: itemIds.map(([itemId]) => ({ type: 'file_replaced', itemId: itemId! })),
  order_update: fc.record({
    type: one('order_update'),
    printOrderId,
    revision,
    outcome: fc.constantFrom('accepted', 'not_needed', 'no_address', 'refused', 'undeliverable', 'unbuildable'),
    message: one(''),
  }),
  record_skipped: one({ type: 'record_skipped' }),
  record_refused: one({ type: 'record_refused' }),
  flag_cleared: fc.record({ type: one('flag_cleared'), reason: fc.constantFrom(...ATTENTION_REASONS) }),
  flagged: fc.record({
    type: one('flagged'),
    reason: fc.constantFrom('stalled', 'out_of_step'),
    message: one('a step'),
    steps: one(['prepare']),
  }),
  lost_refunded: fc.record({
    type: one('lost_refunded'),
    units: fc
      .tuple(itemIds, fc.constantFrom(1, 3))
      .map(([ids, quantity]) => ids.map((itemId) => ({ itemId, quantity }))),
  }),
  stall_ended: one({ type: 'stall_ended' }),
  tracking_checked: fc.record({ type: one('tracking_checked'), followed: fc.boolean() }),
  dismiss: one({ type: 'dismiss', ...request }),
  void_failed: fc.record({ type: one('void_failed'), printOrderId, shipmentId, message: one('scanned') }),
  tracking: fc.record({
    type: one('tracking'),
    eventId: one('t'),
    printOrderId,
    shipmentId,
    parcels: fc.array(
      fc.record({
        number: fc.constantFrom('X1', 'X2'),
        transit: fc.constantFrom(null, 'in_transit', 'delivered', 'returned'),
        itemIds,
      }),
    ),
  }),
  cancel_requested: one({ type: 'cancel_requested', by: 'client', reason: 'no' }),
  partner_cancel: fc.record({
    type: one('partner_cancel'),
    printOrderId,
    jobIds: fc.constantFrom([POSTER.jobId], [POSTER.jobId, STICKER.jobId], ['801']),
    outcome: fc.constantFrom('confirmed', 'refused'),
    message: one('agreed'),
  }),
  deadline: fc.record({
    type: one('deadline'),
    reason: fc.constantFrom(...ATTENTION_REASONS),
    printOrderId,
  }),
  move_promise: fc.record({ printOrderId, day: fc.constantFrom('2026-01-09', '2026-01-12') }).map(({ day, ...of }) => ({
    type: 'move_promise',
    ...request,
    promises: [
      { ...of, dispatchDate: day, dispatchDueAt: `${day}T23:00:00Z`, minDeliveryDate: day, maxDeliveryDate: day },
    ],
  })),
  reminded: fc.record({ type: one('reminded'), printOrderId, count: fc.constantFrom(1, 2) }),
  hold: one({ type: 'hold', ...request }),
  accept_files: one({ type: 'accept_files', ...request }),
  accept_address: one({ type: 'accept_address', ...request }),
  release: one({ type: 'release', ...request }),
  retry: itemIds.map((ids) => ({ type: 'retry', ...request, itemIds: ids })),
  rerouted: fc
    .record({
      action: fc.constantFrom('reroute', 'reproduce'),
      jobId: fc.constantFrom(POSTER.jobId, '801'),
      quantity: fc.constantFrom(1, 2, 3),
      isAdditional: fc.boolean(),
      id: fc.constantFrom('502', '503'),
      waitsUntil: fc.constantFrom(undefined, Date.UTC(2026, 0, 6)),
      force: fc.constantFrom(undefined, true),
      isClaimed: fc.boolean(),
    })
    .map(({ action, jobId, quantity, isAdditional, id, waitsUntil, force, isClaimed }) => ({
      type: 'rerouted',
      action,
      ...request,
      printOrder: plan({
        id,
        partnerId: 'ohio',
        reproducesId: '501',
        jobs: [{ id: id === '502' ? '801' : '802', itemId: POSTER.itemId, quantity }],
      }),
      units: isAdditional ? [] : [{ jobId, quantity }],
      ...(waitsUntil === undefined || isAdditional ? {} : { waitsUntil }),
      ...(force === undefined ? {} : { force }),
      ...(isAdditional && isClaimed ? { claimedJobIds: [jobId] } : {}),
    })),
  reroute_forced: fc.record({
    type: one('reroute_forced'),
    by: one('operator'),
    reason: one('agreed by phone'),
    printOrderId: fc.constantFrom('502', '503'),
  }),
  reroute_due: fc.record({
    type: one('reroute_due'),
    printOrderId: fc.constantFrom('502', '503'),
  }),
  cancel_units: fc
    .tuple(itemIds, fc.nat({ max: 3 }), fc.constantFrom(undefined, [], ['501']))
    .map(([ids, quantity, withoutUpdates]) => ({
      type: 'cancel_units',
      ...request,
      units: ids.map((itemId) => ({ itemId, quantity })),
      ...(withoutUpdates === undefined ? {} : { force: { withoutUpdates } }),
    })),
  cancel_items: itemIds.map((ids) => ({ type: 'cancel_items', ...request, itemIds: ids })),
  refund_items: itemIds.map((ids) => ({ type: 'refund_items', ...request, itemIds: ids })),
  mark_shipped: fc.record({
    type: one('mark_shipped'),
    by: one('operator'),
    reason: one('agreed by phone'),
    printOrderId,
    at: one('2026-01-05T10:12:00.000Z'),
    trackingCode: fc.constantFrom(null, 'X1'),
    trackingLink: one(null),
  }),
};

const anyEvent = fc.oneof(...(Object.values(EVENTS) as fc.Arbitrary<RunEvent>[]));
/** Sequences from submission on, and sequences that start with a print order in production. */
const sequences = fc.oneof(
  fc.array(anyEvent, { maxLength: 30 }),
  fc
    .array(anyEvent, { maxLength: 30 })
    .map((events): RunEvent[] => [{ type: 'fetching_files' }, { type: 'prepared', printOrders: [plan()] }, ...events]),
);

/** The states before and after each event. `play` throws for a refused change. */
function statesOf(events: readonly RunEvent[]): RunState[] {
  const states = [newOrder()];
  for (const event of events) states.push(play(states.at(-1)!, event).state);
  return states;
}

/** Checks what holds after any sequence of events. */
const always = (check: (events: readonly RunEvent[]) => void) =>
  fc.assert(fc.property(sequences, check), { numRuns: 2_000 });

test('every status change is listed in the transition table', () =>
  always((events) => {
    const states = statesOf(events);
    for (const [index, state] of states.slice(1).entries()) {
      for (const [position, { status }] of state.items.entries()) {
        const from = states[index]!.items[position]!.status;
        if (status !== from) expect(ITEM_TRANSITIONS[from]).toContain(status);
      }
    }
  }));

test('a closed run stays closed, with final item statuses', () =>
  always((events) => {
    const states = statesOf(events);
    const closed = states.findIndex(({ phase }) => phase === 'closed');
    if (closed === -1) return;
    for (const state of states.slice(closed)) {
      expect(state.phase).toBe('closed');
      expect(state.items.every(({ status }) => isFinal(status))).toBe(true);
    }
  }));

test('the version grows by one with each change, and an event without news changes nothing', () =>
  always((events) => {
    let state = newOrder();
    for (const event of events) {
      const next = reduce(state, event).state;
      expect(next.version).toBe(next === state ? state.version : state.version + 1);
      state = next;
    }
  }));

test('a job is refunded at most once', () =>
  always((events) => {
    const refunded = play(newOrder(), ...events).effects.flatMap((effect) =>
      effect.type === 'refund' ? effect.jobIds : [],
    );
    expect(new Set(refunded).size).toBe(refunded.length);
  }));
