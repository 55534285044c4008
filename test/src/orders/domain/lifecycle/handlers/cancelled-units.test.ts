import { unitsCancellationOf } from '../../../../../../src/orders/domain/lifecycle/facts/cancellations';
import { whyNotCancelUnits, whyNotRepair } from '../../../../../../src/orders/domain/lifecycle/rules/guards';
import type { EventOf, RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import {
  byOperator,
  cancelled,
  delivery,
  job,
  kinds,
  newOrder,
  POSTER,
  play,
  postback,
  prepared,
  printOrder,
  running,
  update,
} from '../run-fixture';

/** Three posters and a sticker at one partner, of which posters are cancelled. */

const units = (quantity: number) => [{ itemId: POSTER.itemId, quantity }];
const cancel = (quantity: number, force?: EventOf<'cancel_units'>['force']): RunEvent => ({
  type: 'cancel_units',
  by: 'client',
  reason: 'fewer guests',
  units: units(quantity),
  ...(force === undefined ? {} : { force }),
});
const asked = () => play(running(), cancel(2));
const why = (state: RunState, quantity: number, force = false, withoutUpdates: string[] = []) =>
  whyNotCancelUnits(state, units(quantity), { withoutUpdates }, force)?.message ?? null;

describe('units that a partner makes', () => {
  test('end when it accepts the order update', () => {
    const request = asked();
    expect(kinds(request.effects)).toEqual(['cancel_units', 'deliver_order_update']);
    expect(job(request.state, POSTER.jobId).quantity).toBe(3);
    const { state, effects } = play(request.state, update('accepted'));
    expect(kinds(effects)).toEqual([
      'refund',
      'reduce_stock',
      'replan_shipments',
      'order_update_accepted',
      'units_cancelled',
    ]);
    expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 1, cancelledQuantity: 0 });
    expect(job(state, POSTER.jobId)).not.toHaveProperty('unitsRequest');
    expect(play(state, update('accepted')).effects.filter(({ type }) => type === 'refund')).toEqual([]);
  });

  test.each(['refused', 'undeliverable', 'no_address'] as const)('stay after the outcome %s', (outcome) => {
    const { state, effects } = play(asked().state, update(outcome));
    expect(effects).toMatchObject([{ event: 'partner_cancel_refused', data: { itemIds: [POSTER.itemId] } }]);
    expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 3, unitsRequest: { refused: true } });
    expect(state.attention).toEqual(['cancel_refused']);
    // The partner has the current address.
    expect(play(state, postback('shipped', { trackingCode: 'OWN-1' })).state.attention).toEqual([]);
  });

  test('are asked of it after it has accepted the print order, and end when it refuses that', () => {
    const planned = play(newOrder(), prepared, cancel(2));
    expect(kinds(planned.effects)).not.toContain('deliver_order_update');
    expect(kinds(play(planned.state, delivery('accepted')).effects)).toContain('deliver_order_update');
    const refused = play(planned.state, delivery('refused')).state;
    expect(job(refused, POSTER.jobId).quantity).toBe(1);
  });

  test('are asked of it together with a new address, and the older response is ignored', () => {
    const { state, effects } = play(asked().state, { type: 'shipping_changed', revision: 1 }, update('accepted', 1));
    expect(effects).toContainEqual({
      type: 'deliver_order_update',
      printOrderId: '501',
      revision: 2,
      units: true,
    });
    expect(job(state, POSTER.jobId).quantity).toBe(3);
    const refused = play(state, update('refused', 2)).state;
    expect(refused.attention).toEqual(['cancel_refused', 'partner_not_updated']);
    expect(job(play(state, update('accepted', 2)).state, POSTER.jobId).quantity).toBe(1);
  });

  test('are requested, not cancelled, when it ships before it responds', () => {
    const { state } = play(asked().state, postback('shipped'));
    expect(unitsCancellationOf(state, [POSTER.itemId])).toBe('requested');
    expect(unitsCancellationOf(play(state, update('refused')).state, [POSTER.itemId])).toBe('refused');
    expect(unitsCancellationOf(play(state, update('accepted')).state, [POSTER.itemId])).toBe('done');
  });

  test('are refused when the parcel is delivered before it responds', () => {
    const { state, effects } = play(asked().state, postback('shipped'), {
      type: 'tracking',
      eventId: 't',
      printOrderId: '501',
      parcels: [{ number: 'OWN-1', transit: 'delivered' }],
    });
    expect(state.phase).toBe('closed');
    expect(kinds(effects)).toContain('partner_cancel_refused');
  });

  test.each([
    ['fewer', 1, { quantity: 2, cancelledQuantity: 0, unitsRequest: { quantity: 1 } }, 0],
    ['the same', 2, { quantity: 1, cancelledQuantity: 0 }, 0],
    ['all', null, { quantity: 1, cancelledQuantity: 1 }, 1],
  ])('end when it reports %s as cancelled', (_what, quantity, expected, attention) => {
    const { state, effects } = play(asked().state, cancelled(quantity), update('accepted'));
    const refunded = effects.flatMap((effect) => (effect.type === 'refund' ? effect.items : []));
    expect(refunded.reduce((sum, item) => sum + item.quantity, 0)).toBe(2);
    expect(state.attention).toHaveLength(attention);
    const before = play(asked().state, cancelled(quantity)).state;
    expect(job(before, POSTER.jobId)).toMatchObject(expected);
  });
});

describe('an operator ends units', () => {
  test('by a second request, whatever the partner has responded', () => {
    for (const before of [asked().state, play(asked().state, update('refused')).state]) {
      const { state, effects } = play(before, cancel(2, { withoutUpdates: [] }));
      expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 1 });
      expect(kinds(effects)).toContain('deliver_order_update');
      expect(play(state, update('refused', 2)).state.attention).toEqual(['partner_not_updated']);
    }
  });

  test('at once when the partner takes no order updates', () => {
    const { state } = play(running(), cancel(2, { withoutUpdates: ['501'] }));
    expect(job(state, POSTER.jobId).quantity).toBe(1);
    expect(printOrder(play(state, update('no_address')).state).update).toMatchObject({ status: 'failed' });
  });
});

describe('a cancel of units is refused', () => {
  test.each<[string, string | null, string | null]>([
    ['beyond those that are left', why(running(), 4), 'only 3 units'],
    ['of a shipped item', why(play(running(), postback('shipped')).state, 1), 'only 0 units'],
    ['of a partner without order updates', why(running(), 2, false, ['501']), 'no changes of quantities'],
    ['while the partner has not responded', why(asked().state, 1), 'has not responded'],
    ['never for all units of a partner without order updates', why(running(), 3, false, ['501']), null],
    ['never for an operator’s second request', why(asked().state, 2, true), null],
    [
      'never for the partner of a print order that it has refused',
      why(play(running(), delivery('refused')).state, 2),
      null,
    ],
  ])('%s', (_what, message, expected) => {
    if (expected === null) expect(message).toBeNull();
    else expect(message).toContain(expected);
  });
});

test('an item is not rerouted while its partner has not responded', () => {
  const request = { action: 'reroute', ...byOperator, itemId: POSTER.itemId, quantity: null, partnerId: null } as const;
  expect(whyNotRepair(running(), request)).toBeNull();
  expect(whyNotRepair(asked().state, request)?.message).toContain('has not responded');
});
