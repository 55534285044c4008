import { newOrder, plan, play, postback, tracked } from './run-fixture';

/** Runs that begin again after a reset. Their plan, and perhaps a label, exist already. */

const prepared = { type: 'prepared', printOrders: [plan()] } as const;

test('events of a print order that the run does not have change nothing', () => {
  for (const before of [newOrder(), play(newOrder(), prepared).state]) {
    const other = { printOrderId: '502' };
    const { state, effects } = play(before, postback('received', other), {
      ...tracked('delivered'),
      ...other,
    } as never);
    expect(state).toBe(before);
    expect(effects).toEqual([]);
  }
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
