import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import {
  byOperator,
  cancelled,
  cancelRequested,
  cancelResponse,
  delivery,
  dispatched,
  having,
  job,
  kinds,
  POSTER,
  play,
  postback,
  printOrder,
  running,
  STICKER,
  statuses,
} from '../run-fixture';

describe('a client’s cancel', () => {
  test('cancels the order when the partner agrees, releases stock and refunds', () => {
    const { state, effects } = play(running(), cancelRequested, cancelResponse('confirmed'));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    expect(state.phase).toBe('closed');
    expect(kinds(effects)).toEqual(
      expect.arrayContaining(['request_partner_cancel', 'release_stock', 'refund', 'partner_cancel_confirmed']),
    );
  });

  test('is refunded once when the partner confirms by HTTP and by postback', () => {
    const { effects } = play(running(), cancelRequested, postback('cancelled'), cancelResponse('confirmed'));
    expect(effects.filter(({ type }) => type === 'refund')).toHaveLength(1);
  });

  test('voids the labels that were bought before', () => {
    const { effects } = play(running(), dispatched, cancelRequested, cancelResponse('confirmed'));
    expect(effects).toContainEqual({ type: 'void_shipment', printOrderId: '501', shipmentId: 's1' });
  });

  test('of units that have shipped, which the partner confirms, waits for an operator', () => {
    const { state, effects } = play(running(), cancelRequested, postback('shipped'), cancelResponse('confirmed'));
    expect(statuses(state)).toEqual(['shipped', 'shipped']);
    expect(state.attention).toEqual(['cancelled_shipped']);
    expect(kinds(effects)).not.toContain('refund');
  });

  test('can be refused first and confirmed by postback later', () => {
    const refused = play(running(), cancelRequested, cancelResponse('refused')).state;
    expect(refused.attention).toEqual(['cancel_refused']);
    const { state } = play(refused, postback('cancelled'));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
  });

  test('is confirmed for the items that the postback lists, and stays open for the others', () => {
    const { state } = play(
      running(),
      cancelRequested,
      postback('cancelled', { items: [{ jobId: STICKER.jobId, quantity: null }] }),
    );
    expect(statuses(state)).toEqual(['passed', 'cancelled']);
    expect(printOrder(state).cancel).toBe('requested');
  });

  test('asks no partner that refused the print order', () => {
    const { state, effects } = play(running(), delivery('refused', 'no'), cancelRequested);
    expect(kinds(effects)).not.toContain('request_partner_cancel');
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('cancelled_shipped', () => {
  const sticker = { jobId: STICKER.jobId };
  const cancel: RunEvent = { type: 'cancel_items', ...byOperator, itemIds: [STICKER.itemId] };
  const withoutSticker = having(cancel, cancelResponse('confirmed'));

  test('is raised when a partner ships a cancelled item, and can be dismissed while the order is open', () => {
    const { state } = play(withoutSticker, postback('shipped', sticker));
    expect(state.attention).toEqual(['cancelled_shipped']);
    expect(statuses(state)).toEqual(['passed', 'cancelled']);
    const dismissed = play(state, { type: 'dismiss', ...byOperator }).state;
    expect(dismissed.attention).toEqual([]);
    expect(play(dismissed, postback('shipped', sticker)).state.attention).toEqual([]);
  });

  test('is raised when all items are cancelled, one of them after its partner had cancelled it and reported it as shipped', () => {
    const cancelPoster: RunEvent = { ...cancel, itemIds: [POSTER.itemId] };
    const { state } = play(
      withoutSticker,
      postback('cancelled', { jobId: POSTER.jobId }),
      postback('shipped', { jobId: POSTER.jobId }),
      cancelPoster,
    );
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    expect(state.attention).toEqual([]);
    expect(play(state, postback('shipped')).state.attention).toEqual(['cancelled_shipped']);
  });

  test('is not raised when the partner ships what is left of the print order', () => {
    const { state } = play(withoutSticker, postback('shipped'));
    expect(state.attention).toEqual([]);
    expect(statuses(state)).toEqual(['shipped', 'cancelled']);
  });
});

describe('an operator’s cancel of an item', () => {
  const cancel = (itemId = POSTER.itemId, reason = 'sold out'): RunEvent => ({
    type: 'cancel_items',
    ...byOperator,
    reason,
    itemIds: [itemId],
  });
  const refunds = ({ effects }: ReturnType<typeof play>) => effects.filter(({ type }) => type === 'refund');

  test('waits for the agreement of the partner that has it', () => {
    const asked = play(running(), cancel());
    expect(kinds(asked.effects)).toEqual(['request_partner_cancel', 'cancel_items']);
    expect(statuses(asked.state)).toEqual(['passed', 'passed']);
    const granted = play(asked.state, cancelResponse('confirmed', [POSTER.jobId]));
    expect(statuses(granted.state)).toEqual(['cancelled', 'passed']);
    expect(printOrder(granted.state).cancel).toBeNull();
    expect(refunds(granted)).toMatchObject([{ reason: 'sold out', jobIds: [POSTER.jobId] }]);
  });

  test('raises attention when the partner refuses, and production continues', () => {
    const asked = play(running(), cancel(), cancelResponse('refused', [POSTER.jobId])).state;
    expect(asked.attention).toEqual(['cancel_refused']);
    const shipped = play(asked, postback('shipped'));
    expect(statuses(shipped.state)).toEqual(['shipped', 'shipped']);
    expect(shipped.state.attention).toEqual([]);
    expect(refunds(shipped)).toEqual([]);
  });

  test.each([
    ['after a refusal', [cancelResponse('refused', [POSTER.jobId])]],
    ['without a response', []],
  ])('repeated %s needs no agreement', (_when, said) => {
    const decided = play(running(), cancel(), ...said, cancel());
    expect(statuses(decided.state)).toEqual(['cancelled', 'passed']);
    expect(decided.state.attention).toEqual([]);
    expect(refunds(decided)).toHaveLength(1);
    // A late response to the first request changes nothing.
    const late = play(decided.state, cancelResponse('confirmed', [POSTER.jobId]));
    expect(statuses(late.state)).toEqual(['cancelled', 'passed']);
    expect(refunds(late)).toEqual([]);
  });

  test('can be confirmed by postback, for the items that the postback covers', () => {
    const asked = play(running(), cancel()).state;
    const all = play(asked, postback('cancelled'));
    expect(statuses(all.state)).toEqual(['cancelled', 'manual_handling']);
    expect(refunds(all)).toMatchObject([{ jobIds: [POSTER.jobId] }]);
  });

  test('takes effect at once for units that the partner has already cancelled', () => {
    const given = play(running(), cancelled(null)).state;
    const { state, effects } = play(given, cancel());
    expect(statuses(state)).toEqual(['cancelled', 'passed']);
    expect(kinds(effects)).not.toContain('request_partner_cancel');
  });

  test('takes effect at once for a print order that the partner refused', () => {
    const refused: RunEvent = delivery('refused', 'no');
    const { state, effects } = play(running(), refused, cancel());
    expect(statuses(state)).toEqual(['cancelled', 'manual_handling']);
    expect(kinds(effects)).not.toContain('request_partner_cancel');
  });

  test('is dropped when the item is retried', () => {
    const failed = play(running(), postback('error'), cancel(), cancelResponse('refused', [POSTER.jobId])).state;
    const { state } = play(failed, { type: 'retry', ...byOperator, itemIds: [POSTER.itemId] });
    expect(job(state, POSTER.jobId)).not.toHaveProperty('cancelRequest');
    expect(statuses(play(state, cancelResponse('confirmed', [POSTER.jobId])).state)[0]).toBe('passed');
  });

  test('and a client’s cancel of the whole order have separate responses', () => {
    const both = play(running(), cancel(), cancelRequested, cancelResponse('refused', [POSTER.jobId])).state;
    expect(printOrder(both).cancel).toBe('requested');
    const { state } = play(both, cancelResponse('confirmed', [POSTER.jobId, STICKER.jobId]));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    expect(printOrder(state).cancel).toBe('confirmed');
  });
});

describe('an operator’s refund of units that a partner has cancelled', () => {
  const refund: RunEvent = { type: 'refund_items', ...byOperator, itemIds: [POSTER.itemId, STICKER.itemId] };

  test('ends them, and the rest of their job goes on', () => {
    const { state, effects } = play(running(), cancelled(2), refund);
    expect(job(state, POSTER.jobId)).toMatchObject({ ended: null, quantity: 1, cancelledQuantity: 0 });
    expect(state.attention).toEqual([]);
    const [refunded] = effects.filter(({ type }) => type === 'refund');
    expect(refunded).toMatchObject({ items: [{ itemId: POSTER.itemId, quantity: 2 }] });
  });

  test('ends the order when nothing is left, also of units that ended before', () => {
    const { state, effects } = play(running(), cancelled(2), refund, postback('cancelled'), refund);
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    const items = effects.flatMap((effect) => (effect.type === 'refund' ? effect.items : []));
    const total = items
      .filter(({ itemId }) => itemId === POSTER.itemId)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    expect(total).toBe(3);
  });
});
