import { takeEarly } from '../../../../../src/orders/domain/lifecycle/early-events';
import { newOrder, plan, play, postback, statuses, tracked } from './run-fixture';

/** After a reset, Temporal signals postbacks again before the run has planned the order. */

const prepared = { type: 'prepared', printOrders: [plan()] } as const;

test('events of an unknown print order are kept, once, until the run has it', () => {
  const received = postback('received');
  const { state, effects } = play(newOrder(), received, received, tracked('delivered'));
  expect(state.early).toEqual([received, tracked('delivered')]);
  expect(effects).toEqual([]);
  expect(takeEarly(state).due).toEqual([]);
  const { state: planned, due } = takeEarly(play(state, prepared).state);
  expect(due).toEqual([received, tracked('delivered')]);
  expect(planned).not.toHaveProperty('early');
  expect(statuses(play(planned, ...due).state)).toEqual(['delivered', 'delivered']);
});

test('events of other print orders stay', () => {
  const other = postback('received', { printOrderId: '502' });
  const { state, due } = takeEarly(play(newOrder(), postback('received'), other, prepared).state);
  expect(due).toHaveLength(1);
  expect(state.early).toEqual([other]);
});

test('a plan that was stored before a reset brings its label and the shipping revision', () => {
  const stored = { ...prepared, printOrders: [plan({ boughtShipmentId: 's7' })], shippingRevision: 2 };
  const { state } = play(newOrder(), stored);
  expect(state.printOrders[0]!.shipment).toEqual({ id: 's7', revision: 2 });
  expect(state.shippingRevision).toBe(2);
  // The carrier's scan of that label is not the scan of an unknown one.
  const scanned = play(state, { ...(tracked('in_transit') as object), shipmentId: 's7' } as never).state;
  expect(scanned.attention).toEqual([]);
});
