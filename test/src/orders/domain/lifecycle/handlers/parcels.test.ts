import { unitsToShip } from '../../../../../../src/orders/domain/lifecycle/facts/jobs';
import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import { initialRunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import {
  accepted,
  byOperator,
  cancelled,
  dispatched,
  job,
  kinds,
  POSTER,
  plan,
  play,
  postback,
  printOrder,
  running,
  STICKER,
  scanned,
  statuses,
  tracked,
} from '../run-fixture';

const shippedBoth = [postback('printed'), postback('shipped')];

describe('tracking', () => {
  test('a scanned parcel has shipped, also without a shipped postback', () => {
    const { state, effects } = play(running(), tracked('in_transit'));
    expect(statuses(state)).toEqual(['in_transit', 'in_transit']);
    expect(kinds(effects)).toContain('consume_stock');
  });

  test('an item in manual handling is not in the parcel', () => {
    const { state } = play(running(), cancelled(null), tracked('in_transit'), tracked('delivered'));
    expect(statuses(state)).toEqual(['manual_handling', 'delivered']);
    expect(state.phase).toBe('running');
  });

  test('only items with a shipped postback are in the parcel, when there is one', () => {
    const { state } = play(running(), postback('shipped', { jobId: STICKER.jobId }), tracked('in_transit'));
    expect(statuses(state)).toEqual(['passed', 'in_transit']);
  });

  test('the transit status never steps back', () => {
    const { state, effects } = play(running(), tracked('delivered'), tracked('in_transit'));
    expect(statuses(state)).toEqual(['delivered', 'delivered']);
    expect(kinds(effects).filter((kind) => kind.startsWith('tracking_'))).toEqual(['tracking_delivered']);
  });
});

test('each of 500 items follows its own ones of 5,000 parcels', () => {
  // A search through all parcels for each job would not end within the time limit of a test.
  const items = Array.from({ length: 500 }, (_, index) => ({ id: `${index + 1}`, quantity: 10 }));
  const jobs = items.map(({ id, quantity }) => ({ id: `7${id}`, itemId: id, quantity }));
  const order = play(initialRunState(items), { type: 'prepared', printOrders: [plan({ jobs })] }, accepted).state;
  const parcels = items.slice(1).flatMap(({ id }) =>
    Array.from({ length: 10 }, (_, index) => ({
      number: `X${id}-${index}`,
      transit: 'in_transit' as const,
      itemIds: [id],
    })),
  );
  const { state } = play(
    order,
    { type: 'tracking', eventId: 't', printOrderId: '501', shipmentId: 's', parcels },
    { type: 'shipping_changed', revision: 1 },
  );
  expect(statuses(state)).toEqual(['passed', ...parcels.slice(0, 499).map(() => 'in_transit')]);
});

describe('labels', () => {
  test('a change of address voids the label, and a label that was being bought for the older address', () => {
    const changed = play(running(), dispatched, { type: 'shipping_changed', revision: 1 });
    expect(kinds(changed.effects)).toEqual(['dispatched', 'shipping_changed', 'deliver_order_update', 'void_shipment']);
    const late = play(changed.state, { ...dispatched, shipmentId: 's2' });
    expect(late.effects).toMatchObject([{ type: 'void_shipment', shipmentId: 's2' }]);
    expect(late.state).toEqual({ ...changed.state, version: changed.state.version + 1 });
  });

  test('shipping with a voided label raises attention, unless a new label was bought', () => {
    const changed = play(running(), dispatched, { type: 'shipping_changed', revision: 1 }).state;
    expect(changed.attention).toEqual([]);
    expect(play(changed, ...shippedBoth).state.attention).toEqual(['voided_label']);
    const anew = play(changed, { ...dispatched, shipmentId: 's2', revision: 1 }, ...shippedBoth).state;
    expect(anew.attention).toEqual([]);
  });

  test('a scan of another label than the valid one raises attention', () => {
    const anew = play(
      running(),
      dispatched,
      { type: 'shipping_changed', revision: 1 },
      { ...dispatched, shipmentId: 's2', revision: 1 },
    ).state;
    const scan = (shipmentId: string) => scanned(shipmentId, 'in_transit');
    expect(play(anew, scan('s2')).state.attention).toEqual([]);
    const strayed = play(anew, scan('s2'), scan('s1'), scan('s1'));
    expect(strayed.state.attention).toEqual(['voided_label']);
    expect(kinds(strayed.effects).filter((kind) => kind === 'voided_label_used')).toHaveLength(1);
    expect(statuses(strayed.state)).toEqual(['in_transit', 'in_transit']);
  });

  test('a shipped parcel keeps its label', () => {
    const { state, effects } = play(running(), dispatched, ...shippedBoth, {
      type: 'shipping_changed',
      revision: 1,
    });
    expect(kinds(effects)).not.toContain('void_shipment');
    expect(printOrder(state).shipment).toEqual({ id: 's1', revision: 0 });
  });

  test('a print order that is rerouted as a whole has its label voided', () => {
    const { effects } = play(running(), dispatched, {
      type: 'rerouted',
      action: 'reroute',
      ...byOperator,
      printOrder: plan({ id: '502' }),
      units: [
        { jobId: POSTER.jobId, quantity: 3 },
        { jobId: STICKER.jobId, quantity: 1 },
      ],
    });
    expect(kinds(effects)).toContain('void_shipment');
  });
});

test('a label that the carrier refuses to void is logged, and changes nothing else', () => {
  const before = play(running(), postback('printed')).state;
  const failed = {
    type: 'void_failed',
    printOrderId: '501',
    shipmentId: 'label',
    message: 'scanned',
  } as const;
  const { state, effects } = play(before, failed);
  expect(state).toEqual({ ...before, version: before.version + 1 });
  expect(effects).toEqual([
    {
      type: 'log',
      event: 'label_not_voided',
      printOrderId: '501',
      data: { shipmentId: 'label', message: 'scanned' },
    },
  ]);
});

describe('a change after a part of the print order has shipped', () => {
  const again: RunEvent = { ...dispatched, shipmentId: 's2', revision: 1 };
  const changed: RunEvent = { type: 'shipping_changed', revision: 1 };
  const stickerShipped = () => postback('shipped', { jobId: STICKER.jobId });

  test('keeps the label of the parcel that left, and the rest needs a new one', () => {
    const { state, effects } = play(running(), dispatched, stickerShipped(), changed);
    expect(kinds(effects)).not.toContain('void_shipment');
    expect(kinds(effects)).toContain('deliver_order_update');
    expect(printOrder(state).shipment).toBeNull();
    expect(job(state, STICKER.jobId).leftWith).toBe('s1');
    expect(unitsToShip(printOrder(state))).toEqual([{ itemId: POSTER.itemId, quantity: 3 }]);
    expect(state.attention).toEqual([]);
  });

  test('each parcel is followed separately', () => {
    const left = play(running(), dispatched, stickerShipped(), changed, again).state;
    const delivered = play(left, scanned('s1', 'delivered')).state;
    expect(statuses(delivered)).toEqual(['passed', 'delivered']);
    const shipped = play(delivered, postback('shipped', { jobId: POSTER.jobId }));
    expect(statuses(shipped.state)).toEqual(['shipped', 'delivered']);
    expect(shipped.state.attention).toEqual([]);
    const end = play(shipped.state, scanned('s2', 'in_transit'), scanned('s2', 'delivered')).state;
    expect(end).toMatchObject({ phase: 'closed', attention: [] });
  });

  test('a scan of the rest marks only the rest as shipped', () => {
    const left = play(running(), stickerShipped(), changed, again).state;
    expect(statuses(play(left, scanned('s2', 'in_transit')).state)).toEqual(['in_transit', 'shipped']);
  });

  test('changes nothing for a print order that has shipped as a whole', () => {
    const { state, effects } = play(running(), dispatched, postback('shipped'), changed);
    expect(job(state, STICKER.jobId)).not.toHaveProperty('leftWith');
    expect(kinds(effects)).not.toContain('deliver_order_update');
  });
});
