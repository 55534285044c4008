import { reroutedUnits } from '../../../../../../src/orders/domain/lifecycle/facts/reroutes';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import { cancelled, having, POSTER, postback } from '../run-fixture';

const units = (
  state: RunState,
  action: 'reroute' | 'reproduce',
  quantity: number | null,
  partnerId: string | null = null,
) => reroutedUnits(state, { action, itemId: POSTER.itemId, quantity, partnerId })[0]?.quantity ?? 0;

test.each<[string, RunState, 'reroute' | 'reproduce', number | null, number]>([
  ['all units of a job in error', having(postback('error')), 'reproduce', null, 3],
  ['some units of a job in error', having(postback('error')), 'reproduce', 2, 2],
  ['the cancelled units', having(cancelled(1)), 'reproduce', null, 1],
  ['more than the cancelled units, on request', having(cancelled(1)), 'reproduce', 3, 3],
  ['no more than there are', having(cancelled(1)), 'reproduce', 9, 3],
  ['units in production, by a reroute', having(postback('received')), 'reroute', null, 3],
  ['some units in production, by a reroute', having(), 'reroute', 2, 2],
  ['no units in production, by a reproduce', having(), 'reproduce', 2, 0],
  ['no shipped units', having(postback('shipped')), 'reroute', null, 0],
  ['the missing units of a short shipment', having(cancelled(1), postback('shipped')), 'reproduce', null, 1],
])('a repair makes %s again', (_what, state, action, quantity, taken) => {
  expect(units(state, action, quantity)).toBe(taken);
});

test('a reroute to the same partner makes only waiting units', () => {
  expect(units(having(), 'reroute', null, 'berlin')).toBe(0);
  expect(units(having(), 'reroute', null, 'ohio')).toBe(3);
  expect(units(having(postback('error')), 'reroute', null, 'berlin')).toBe(3);
});
