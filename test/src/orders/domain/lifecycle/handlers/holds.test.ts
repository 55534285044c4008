import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import {
  byOperator,
  hold,
  job,
  kinds,
  newOrder,
  POSTER,
  plan,
  play,
  postback,
  prepared,
  release,
  running,
  STICKER,
  statuses,
  tracked,
} from '../run-fixture';

const shippedBoth = [postback('printed'), postback('shipped')];

describe('a reroute', () => {
  const again = (units: { jobId: string; quantity: number }[], action: 'reroute' | 'reproduce' = 'reproduce') =>
    ({
      type: 'rerouted',
      action,
      ...byOperator,
      printOrder: plan({
        id: '502',
        partnerId: 'ohio',
        reproducesId: '501',
        jobs: [{ id: '801', itemId: POSTER.itemId, quantity: units[0]?.quantity ?? 1 }],
      }),
      units,
    }) as const satisfies RunEvent;

  test('makes cancelled units and leaves the others', () => {
    const { state } = play(
      running(),
      postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity: 1 }] }),
      again([{ jobId: POSTER.jobId, quantity: 1 }]),
    );
    expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 2, cancelledQuantity: 0, ended: null });
    expect(statuses(state)).toEqual(['passed', 'passed']);
    expect(state.attention).toEqual([]);
  });

  test('of a whole job asks its partner to cancel the job', () => {
    const { state, effects } = play(running(), again([{ jobId: POSTER.jobId, quantity: 3 }], 'reroute'));
    expect(job(state, POSTER.jobId).ended).toBe('superseded');
    expect(effects).toContainEqual(expect.objectContaining({ type: 'request_partner_cancel', jobIds: [POSTER.jobId] }));
    // A refusal is logged, and changes nothing.
    const refused = play(state, {
      type: 'partner_cancel',
      printOrderId: '501',
      outcome: 'refused',
      message: 'too late',
    });
    expect(kinds(refused.effects)).toEqual(['partner_cancel_refused']);
    expect(refused.state.version).toBe(state.version + 1);
    expect(statuses(refused.state)).toEqual(statuses(state));
  });

  test('is not delivered when the units shipped while it was planned', () => {
    const { state, effects } = play(running(), ...shippedBoth, again([{ jobId: POSTER.jobId, quantity: 3 }]));
    expect(kinds(effects).slice(-2)).toEqual(['reproduce', 'release_stock']);
    expect(job(state, '801').ended).toBe('superseded');
    expect(statuses(state)).toEqual(['shipped', 'shipped']);
  });

  test('is not delivered when the order ended while it was planned', () => {
    const ended = play(running(), tracked('delivered')).state;
    const { effects } = play(ended, again([]));
    expect(kinds(effects)).toEqual(['reproduce', 'release_stock']);
  });

  test('keeps the run open until it is delivered, also when its item was delivered before', () => {
    const half = play(running(), postback('shipped', { jobId: POSTER.jobId }), tracked('delivered')).state;
    const made = play(half, again([]), postback('cancelled', { items: [{ jobId: STICKER.jobId, quantity: null }] }));
    const { state } = play(made.state, { type: 'cancel_items', ...byOperator, itemIds: [STICKER.itemId] });
    expect(statuses(state)).toEqual(['delivered', 'cancelled']);
    expect(state.phase).toBe('running');
    const end = play(state, postback('shipped', { printOrderId: '502' }), tracked('delivered', '502')).state;
    expect(end.phase).toBe('closed');
  });

  test('with a known print order id changes nothing', () => {
    const event = again([{ jobId: POSTER.jobId, quantity: 3 }]);
    const once = play(running(), event);
    const twice = play(once.state, event);
    expect(twice.state).toBe(once.state);
    expect(twice.effects).toEqual([]);
  });
});

describe('hold', () => {
  test('shows every item on hold until a release shows their progress', () => {
    const held = play(running(), hold, postback('printed', { jobId: POSTER.jobId })).state;
    expect(statuses(held)).toEqual(['on_hold', 'on_hold']);
    const { state } = play(held, release);
    expect(statuses(state)).toEqual(['printed', 'passed']);
  });

  test('stops deliveries until the release', () => {
    const held = play(newOrder(), hold, prepared);
    expect(kinds(held.effects)).not.toContain('deliver_print_order');
    expect(kinds(play(held.state, release).effects)).toContain('deliver_print_order');
  });
});
