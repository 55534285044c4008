import fc from 'fast-check';
import { reroutedUnits } from '../../../../../../src/orders/domain/lifecycle/facts/reroutes';
import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import { byOperator, POSTER, plan, play, postback, running, STICKER } from '../run-fixture';

const having = (...events: RunEvent[]): RunState => play(running(), ...events).state;
const cancelled = (quantity: number) => postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity }] });
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

test('each unit is ordered from exactly one partner after any postbacks and reroutes', () => {
  const move = fc.record({
    kind: fc.constant('reroute' as const),
    itemId: fc.constantFrom(POSTER.itemId, STICKER.itemId),
    quantity: fc.constantFrom(null, 1, 2, 3),
    partnerId: fc.constantFrom(null, 'berlin', 'ohio'),
  });
  const said = fc.record({
    kind: fc.constant('postback' as const),
    status: fc.constantFrom('received', 'printed', 'error', 'cancelled', 'shipped' as const),
    printOrder: fc.nat(4),
    units: fc.constantFrom(null, 1, 2),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(move, said), { maxLength: 12 }), (script) => {
      let state = running();
      let next = 900;
      for (const line of script) {
        if (line.kind === 'reroute') {
          const { itemId, quantity, partnerId } = line;
          const units = reroutedUnits(state, { action: 'reroute', itemId, quantity, partnerId });
          if (units.length === 0) continue;
          next += 1;
          const total = units.reduce((sum, taken) => sum + taken.quantity, 0);
          const printOrder = plan({
            id: String(next),
            partnerId: partnerId ?? 'ohio',
            jobs: [{ id: `${next}0`, itemId, quantity: total }],
          });
          state = play(state, {
            type: 'rerouted',
            action: 'reroute',
            ...byOperator,
            printOrder,
            units,
          }).state;
        } else {
          const { id, jobs } = state.printOrders[line.printOrder % state.printOrders.length]!;
          const listed = line.status === 'cancelled' && line.units !== null;
          const items = listed ? [{ jobId: jobs[0]!.id, quantity: line.units }] : null;
          state = play(state, postback(line.status, { printOrderId: id, items })).state;
        }
        for (const item of state.items) {
          const ordered = state.printOrders
            .flatMap(({ jobs }) => jobs)
            .filter((job) => job.itemId === item.id && job.ended === null)
            .reduce((sum, job) => sum + job.quantity, 0);
          expect(ordered).toBe(item.quantity);
        }
      }
    }),
    { numRuns: 300 },
  );
});
