import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import {
  accepted,
  cancelRequested,
  dispatched,
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

const changed = (revision: number): RunEvent => ({
  type: 'shipping_changed',
  revision,
});
const shippedWithOwnCode = () => postback('shipped', { trackingCode: 'OWN-1' });

describe('an order update', () => {
  test('is sent when the partner has accepted the print order', () => {
    const { state, effects } = play(running(), changed(1));
    expect(effects).toContainEqual({ type: 'deliver_order_update', printOrderId: '501', revision: 1 });
    expect(printOrder(state).update).toEqual({ revision: 1, status: 'sending' });
  });

  test.each([
    ['an accepted delivery', () => accepted],
    ['a postback', () => postback('received')],
  ])('waits for %s', (_what, event) => {
    const planned = play(newOrder(), prepared).state;
    const waiting = play(planned, changed(1));
    expect(kinds(waiting.effects)).toEqual(['shipping_changed']);
    expect(kinds(play(waiting.state, event()).effects)).toContain('deliver_order_update');
  });

  test('is not sent for a print order that is on its way', () => {
    expect(kinds(play(running(), postback('shipped'), changed(1)).effects)).not.toContain('deliver_order_update');
  });

  test('of a newer change units it, and the result of the older one is ignored', () => {
    const { state, effects } = play(running(), changed(1), changed(2), update('refused', 1));
    expect(kinds(effects).filter((kind) => kind === 'deliver_order_update')).toHaveLength(2);
    expect(printOrder(state).update).toEqual({ revision: 2, status: 'sending' });
    expect(state.attention).toEqual([]);
  });
});

describe('a replaced print file', () => {
  const replaced: RunEvent = { type: 'file_replaced', itemId: POSTER.itemId };
  const ended = (refusal: unknown, of: object = { printOrderId: '501' }) => ({ type: 'end_replacements', of, refusal });

  test('is sent in an order update, and is printed when the partner accepts it', () => {
    const sent = play(running(), replaced);
    const effect = { type: 'deliver_order_update', printOrderId: '501', revision: 1, units: true };
    expect(sent.effects).toContainEqual(effect);
    const { state, effects } = play(sent.state, update('accepted'));
    expect(effects).toContainEqual(ended(null));
    expect(printOrder(state).update).toEqual({ revision: 1, status: 'accepted', changes: 'none' });
  });

  test.each(['no_address', 'refused', 'undeliverable', 'unbuildable'] as const)('is refused by %s', (outcome) => {
    const { state, effects } = play(running(), replaced, update(outcome));
    expect(effects).toContainEqual(ended(expect.stringContaining('prints the former one')));
    expect(state.attention).toEqual(['partner_not_updated']);
    // The next update has no new file, and its result decides about none.
    const next = play(state, changed(1), update('accepted', 2));
    expect(kinds(next.effects)).not.toContain('end_replacements');
    expect(next.state.attention).toEqual([]);
  });

  test.each<[string, RunEvent[]]>([
    ['before', [changed(1), replaced]],
    ['after', [replaced, changed(1)]],
  ])('is in the update of an address that changed %s it, whose result decides about both', (_when, events) => {
    const sent = play(running(), ...events);
    expect(printOrder(sent.state).update).toEqual({ revision: 2, status: 'sending', files: true });
    expect(sent.effects.at(-1)).toMatchObject({ revision: 2, units: true });
    expect(kinds(play(sent.state, update('accepted', 1)).effects)).toEqual([]);
    expect(play(sent.state, update('accepted', 2)).effects).toContainEqual(ended(null));
  });

  test('is not sent when the item has been printed', () => {
    const { effects } = play(running(), postback('printed'), replaced);
    expect(kinds(effects)).not.toContain('deliver_order_update');
    expect(effects.at(-1)).toEqual(ended('The item has been printed or cancelled.', { itemId: POSTER.itemId }));
  });

  test('is refused when the order is cancelled before the partner has responded', () => {
    const cancelled = play(running(), replaced, cancelRequested, postback('cancelled'));
    expect(cancelled.effects).toContainEqual(ended('The item has been printed or cancelled.'));
    // A late response decides about no file.
    expect(kinds(play(cancelled.state, update('accepted')).effects)).not.toContain('end_replacements');
  });

  test('does not make a parcel one to an old address', () => {
    const { state } = play(running(), replaced, shippedWithOwnCode());
    expect(state.attention).toEqual([]);
  });
});

describe('partner_not_updated', () => {
  test.each(['no_address', 'refused', 'undeliverable'] as const)('is raised by the outcome %s', (outcome) => {
    const { state, effects } = play(running(), changed(1), update(outcome));
    expect(state.attention).toEqual(['partner_not_updated']);
    expect(effects.at(-1)).toMatchObject({ event: 'partner_not_updated', data: { outcome, message: 'no' } });
  });

  test.each<[string, () => RunEvent[]]>([
    ['an accepted update', () => [changed(2), update('accepted', 2)]],
    ['a dispatch', () => [{ ...dispatched, revision: 1 }]],
    ['a dismissal', () => [{ type: 'dismiss', by: 'operator', reason: 'told the partner' }]],
  ])('is removed by %s', (_what, events) => {
    const failed = play(running(), changed(1), update('refused')).state;
    expect(play(failed, ...events()).state.attention).toEqual([]);
  });

  test('is not raised when no update was needed', () => {
    const { state, effects } = play(running(), changed(1), update('not_needed'));
    expect(state.attention).toEqual([]);
    expect(kinds(effects)).not.toContain('order_update_accepted');
  });
});

describe('old_address_shipped', () => {
  test('is raised by a shipped postback with an own tracking code before the update is accepted', () => {
    expect(play(running(), changed(1), shippedWithOwnCode()).state.attention).toEqual(['old_address_shipped']);
    expect(play(running(), changed(1), update('refused'), shippedWithOwnCode()).state.attention).toEqual([
      'old_address_shipped',
    ]);
  });

  test('is raised without a tracking code, when there never was a label', () => {
    expect(play(running(), changed(1), postback('shipped')).state.attention).toEqual(['old_address_shipped']);
  });

  test('is left to voided_label, when the partner can have used a voided label', () => {
    const { state } = play(running(), dispatched, changed(1), postback('shipped'));
    expect(state.attention).toEqual(['voided_label']);
  });

  test.each<[string, RunEvent[]]>([
    ['after an accepted update', [update('accepted')]],
    ['with a label of the current revision', [{ ...dispatched, revision: 1 }]],
  ])('is not raised %s', (_when, events) => {
    const { state } = play(running(), changed(1), ...events, shippedWithOwnCode());
    expect(state.attention).toEqual([]);
  });

  test('is not raised without a shipping change', () => {
    const { state } = play(running(), postback('shipped', { jobId: POSTER.jobId, trackingCode: 'OWN-1' }));
    expect(state.attention).toEqual([]);
  });
});
