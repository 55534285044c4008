import type { RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import {
  accepted,
  byOperator,
  job,
  kinds,
  newOrder,
  POSTER,
  plan,
  play,
  postback,
  printOrder,
  running,
  STICKER,
  statuses,
  tracked,
} from './run-fixture';

const shippedBoth = [postback('printed'), postback('shipped')];

describe('the way of an order', () => {
  test('from submission to delivered', () => {
    const seen: string[] = [];
    let state = newOrder();
    const steps: RunEvent[] = [
      { type: 'fetching_files' },
      { type: 'prepared', printOrders: [plan()] },
      accepted,
      postback('received'),
      postback('printed'),
      { type: 'dispatched', printOrderId: '501', shipmentId: 's', revision: 0 },
      postback('shipped'),
      tracked('in_transit'),
      tracked('delivered'),
    ];
    for (const event of steps) {
      state = play(state, event).state;
      seen.push(state.items[0]!.status);
    }
    expect(seen).toEqual([
      'uploading',
      'passed',
      'passed',
      'in_production',
      'printed',
      'printed',
      'shipped',
      'in_transit',
      'delivered',
    ]);
    expect(state).toMatchObject({ phase: 'closed', attention: [] });
  });

  test('refused: every item has failed and the run is over', () => {
    const { state } = play(newOrder(), { type: 'refused', code: 'x', reason: 'y', details: null });
    expect(statuses(state)).toEqual(['failed', 'failed']);
    expect(state.phase).toBe('closed');
  });

  test('parked, and planned after all', () => {
    const parked = play(newOrder(), { type: 'parked', reason: 'no_partner', message: 'nobody' }).state;
    expect(parked).toMatchObject({ phase: 'preparing', attention: ['no_partner'] });
    const { state } = play(
      parked,
      { type: 'retry', ...byOperator, itemIds: ['1'] },
      { type: 'prepared', printOrders: [plan()] },
    );
    expect(statuses(state)).toEqual(['passed', 'passed']);
    expect(state.attention).toEqual([]);
  });

  test('cancelled while the plan was made: print orders that nobody needs are not handed over', () => {
    const cancelled = play(newOrder(), { type: 'cancel_requested', by: 'client', reason: 'no' });
    expect(cancelled.state.phase).toBe('closed');
    const { effects } = play(cancelled.state, { type: 'prepared', printOrders: [plan()] });
    expect(kinds(effects)).toEqual(['release_stock', 'refund']);
  });
});

describe('the carrier’s word', () => {
  test('a parcel that is scanned has shipped, whatever its partner forgot to say', () => {
    const { state, effects } = play(running(), tracked('in_transit'));
    expect(statuses(state)).toEqual(['in_transit', 'in_transit']);
    expect(kinds(effects)).toContain('consume_stock');
  });

  test('an item that its partner cannot make is not in the parcel', () => {
    const { state } = play(
      running(),
      postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity: null }] }),
      tracked('in_transit'),
      tracked('delivered'),
    );
    expect(statuses(state)).toEqual(['manual_handling', 'delivered']);
    expect(state.phase).toBe('running');
  });

  test('a partner that ships item by item has said what is in the parcel', () => {
    const { state } = play(running(), postback('shipped', { jobId: STICKER.jobId }), tracked('in_transit'));
    expect(statuses(state)).toEqual(['passed', 'in_transit']);
  });

  test('never goes back', () => {
    const { state, effects } = play(running(), tracked('delivered'), tracked('in_transit'));
    expect(statuses(state)).toEqual(['delivered', 'delivered']);
    expect(kinds(effects).filter((kind) => kind.startsWith('tracking_'))).toEqual(['tracking_delivered']);
  });
});

describe('labels', () => {
  const dispatched: RunEvent = { type: 'dispatched', printOrderId: '501', shipmentId: 's1', revision: 0 };

  test('a change of address takes the label back, one that was bought for an older address too', () => {
    const changed = play(running(), dispatched, { type: 'shipping_changed', revision: 1 });
    expect(kinds(changed.effects)).toEqual(['dispatched', 'shipping_changed', 'void_shipment']);
    const late = play(changed.state, { ...dispatched, shipmentId: 's2' });
    expect(late.effects).toMatchObject([{ type: 'void_shipment', shipmentId: 's2' }]);
    expect(late.state).toBe(changed.state);
  });

  test('shipped under a label that was taken back: an operator is to look, unless another was made', () => {
    const changed = play(running(), dispatched, { type: 'shipping_changed', revision: 1 }).state;
    expect(changed.attention).toEqual([]);
    expect(play(changed, ...shippedBoth).state.attention).toEqual(['voided_label']);
    const anew = play(changed, { ...dispatched, shipmentId: 's2', revision: 1 }, ...shippedBoth).state;
    expect(anew.attention).toEqual([]);
  });

  test('scanned under another label than the one that stands', () => {
    const anew = play(
      running(),
      dispatched,
      { type: 'shipping_changed', revision: 1 },
      { ...dispatched, shipmentId: 's2', revision: 1 },
    ).state;
    const scan = (shipmentId: string): RunEvent => ({
      type: 'tracking',
      eventId: `${shipmentId}:in_transit`,
      printOrderId: '501',
      transit: 'in_transit',
      shipmentId,
    });
    expect(play(anew, scan('s2')).state.attention).toEqual([]);
    const strayed = play(anew, scan('s2'), scan('s1'), scan('s1'));
    expect(strayed.state.attention).toEqual(['voided_label']);
    expect(kinds(strayed.effects).filter((kind) => kind === 'voided_label_used')).toHaveLength(1);
    expect(statuses(strayed.state)).toEqual(['in_transit', 'in_transit']);
  });

  test('a parcel on its way keeps its label', () => {
    const { state, effects } = play(running(), dispatched, ...shippedBoth, {
      type: 'shipping_changed',
      revision: 1,
    });
    expect(kinds(effects)).not.toContain('void_shipment');
    expect(printOrder(state).shipment).toEqual({ id: 's1', revision: 0 });
  });

  test('a print order that was moved away whole has its label taken back', () => {
    const { effects } = play(running(), dispatched, {
      type: 'replaced',
      action: 'reroute',
      ...byOperator,
      printOrder: plan({ id: '502' }),
      replaces: [
        { jobId: POSTER.jobId, quantity: 3 },
        { jobId: STICKER.jobId, quantity: 1 },
      ],
    });
    expect(kinds(effects)).toContain('void_shipment');
  });
});

describe('a client’s wish to cancel', () => {
  const wish: RunEvent = { type: 'cancel_requested', by: 'client', reason: 'no' };
  const answer = (outcome: 'confirmed' | 'refused'): RunEvent => ({
    type: 'partner_cancel',
    printOrderId: '501',
    outcome,
    message: 'so be it',
  });

  test('ends the order when the partner agrees, with stock and money back', () => {
    const { state, effects } = play(running(), wish, answer('confirmed'));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    expect(state.phase).toBe('closed');
    expect(kinds(effects)).toEqual(
      expect.arrayContaining([
        'request_partner_cancel',
        'release_stock',
        'refund',
        'partner_cancel_confirmed',
      ]),
    );
  });

  test('answered twice, by HTTP and by postback, is refunded once', () => {
    const { effects } = play(running(), wish, postback('cancelled'), answer('confirmed'));
    expect(effects.filter(({ type }) => type === 'refund')).toHaveLength(1);
  });

  test('refused first and granted by postback later', () => {
    const refused = play(running(), wish, answer('refused')).state;
    expect(refused.attention).toEqual(['cancel_refused']);
    const { state } = play(refused, postback('cancelled'));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
  });

  test('is granted for the items that the postback lists, and stands for the others', () => {
    const { state } = play(
      running(),
      wish,
      postback('cancelled', { items: [{ jobId: STICKER.jobId, quantity: null }] }),
    );
    expect(statuses(state)).toEqual(['passed', 'cancelled']);
    expect(printOrder(state).cancel).toBe('requested');
  });

  test('a partner that refused the print order is not asked', () => {
    const { state, effects } = play(
      running(),
      { type: 'delivery', printOrderId: '501', outcome: 'refused', message: 'no' },
      wish,
    );
    expect(kinds(effects)).not.toContain('request_partner_cancel');
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('an operator’s cancel of an item', () => {
  const cancel = (itemId = POSTER.itemId, reason = 'sold out'): RunEvent => ({
    type: 'cancel_items',
    ...byOperator,
    reason,
    itemIds: [itemId],
    asksPartner: true,
  });
  const word = (outcome: 'confirmed' | 'refused', jobIds: string[]): RunEvent => ({
    type: 'partner_cancel',
    printOrderId: '501',
    jobIds,
    outcome,
    message: 'so be it',
  });
  const refunds = ({ effects }: ReturnType<typeof play>) => effects.filter(({ type }) => type === 'refund');

  test('waits for the partner that has it', () => {
    const asked = play(running(), cancel());
    expect(kinds(asked.effects)).toEqual(['request_partner_cancel', 'cancel_items']);
    expect(statuses(asked.state)).toEqual(['passed', 'passed']);
    const granted = play(asked.state, word('confirmed', [POSTER.jobId]));
    expect(statuses(granted.state)).toEqual(['cancelled', 'passed']);
    expect(printOrder(granted.state).cancel).toBeNull();
    expect(refunds(granted)).toMatchObject([{ reason: 'sold out', jobIds: [POSTER.jobId] }]);
  });

  test('that the partner refuses is flagged, and the item goes on', () => {
    const asked = play(running(), cancel(), word('refused', [POSTER.jobId])).state;
    expect(asked.attention).toEqual(['cancel_refused']);
    const shipped = play(asked, postback('shipped'));
    expect(statuses(shipped.state)).toEqual(['shipped', 'shipped']);
    expect(shipped.state.attention).toEqual([]);
    expect(refunds(shipped)).toEqual([]);
  });

  test.each([
    ['after a refusal', [word('refused', [POSTER.jobId])]],
    ['while there is no word', []],
  ])('once more, %s, needs no word', (_when, said) => {
    const decided = play(running(), cancel(), ...said, cancel());
    expect(statuses(decided.state)).toEqual(['cancelled', 'passed']);
    expect(decided.state.attention).toEqual([]);
    expect(refunds(decided)).toHaveLength(1);
    // The first word, if it comes after all, changes nothing.
    const late = play(decided.state, word('confirmed', [POSTER.jobId]));
    expect(statuses(late.state)).toEqual(['cancelled', 'passed']);
    expect(refunds(late)).toEqual([]);
  });

  test('is granted by postback too, for what the postback lists', () => {
    const asked = play(running(), cancel()).state;
    const all = play(asked, postback('cancelled'));
    expect(statuses(all.state)).toEqual(['cancelled', 'manual_handling']);
    expect(refunds(all)).toMatchObject([{ jobIds: [POSTER.jobId] }]);
  });

  test('of units that the partner has given up already is done at once', () => {
    const given = play(
      running(),
      postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity: null }] }),
    ).state;
    const { state, effects } = play(given, cancel());
    expect(statuses(state)).toEqual(['cancelled', 'passed']);
    expect(kinds(effects)).not.toContain('request_partner_cancel');
  });

  test('of a print order that the partner refused is done at once', () => {
    const refused: RunEvent = { type: 'delivery', printOrderId: '501', outcome: 'refused', message: 'no' };
    const { state, effects } = play(running(), refused, cancel());
    expect(statuses(state)).toEqual(['cancelled', 'manual_handling']);
    expect(kinds(effects)).not.toContain('request_partner_cancel');
  });

  test('is forgotten when the item is tried again', () => {
    const failed = play(running(), postback('error'), cancel(), word('refused', [POSTER.jobId])).state;
    const { state } = play(failed, { type: 'retry', ...byOperator, itemIds: [POSTER.itemId] });
    expect(job(state, POSTER.jobId)).not.toHaveProperty('cancelRequest');
    expect(statuses(play(state, word('confirmed', [POSTER.jobId])).state)[0]).toBe('passed');
  });

  test('and a client’s of the whole order are answered each by its own word', () => {
    const both = play(
      running(),
      cancel(),
      { type: 'cancel_requested', by: 'client', reason: 'no' },
      word('refused', [POSTER.jobId]),
    ).state;
    expect(printOrder(both).cancel).toBe('requested');
    const { state } = play(both, word('confirmed', [POSTER.jobId, STICKER.jobId]));
    expect(statuses(state)).toEqual(['cancelled', 'cancelled']);
    expect(printOrder(state).cancel).toBe('confirmed');
  });
});

describe('what is made again', () => {
  const again = (
    replaces: { jobId: string; quantity: number }[],
    action: 'reroute' | 'reproduce' = 'reproduce',
  ) =>
    ({
      type: 'replaced',
      action,
      ...byOperator,
      printOrder: plan({
        id: '502',
        partnerId: 'ohio',
        reproducesId: '501',
        jobs: [{ id: '801', itemId: POSTER.itemId, quantity: replaces[0]?.quantity ?? 1 }],
      }),
      replaces,
    }) as const satisfies RunEvent;

  test('takes cancelled units over and leaves the others', () => {
    const { state } = play(
      running(),
      postback('cancelled', { items: [{ jobId: POSTER.jobId, quantity: 1 }] }),
      again([{ jobId: POSTER.jobId, quantity: 1 }]),
    );
    expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 2, cancelledQuantity: 0, ended: null });
    expect(statuses(state)).toEqual(['passed', 'passed']);
    expect(state.attention).toEqual([]);
  });

  test('a whole job that its partner may still make: the partner is asked to leave it', () => {
    const { state, effects } = play(running(), again([{ jobId: POSTER.jobId, quantity: 3 }], 'reroute'));
    expect(job(state, POSTER.jobId).ended).toBe('superseded');
    expect(effects).toContainEqual(
      expect.objectContaining({ type: 'request_partner_cancel', jobIds: [POSTER.jobId] }),
    );
    // Its refusal is kept for the record, and changes nothing.
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

  test('is not handed over when what it takes over shipped while it was planned', () => {
    const { state, effects } = play(running(), ...shippedBoth, again([{ jobId: POSTER.jobId, quantity: 3 }]));
    expect(kinds(effects).slice(-2)).toEqual(['reproduce', 'release_stock']);
    expect(job(state, '801').ended).toBe('superseded');
    expect(statuses(state)).toEqual(['shipped', 'shipped']);
  });

  test('is not handed over when the order ended meanwhile', () => {
    const ended = play(running(), tracked('delivered')).state;
    const { effects } = play(ended, again([]));
    expect(kinds(effects)).toEqual(['reproduce', 'release_stock']);
  });

  test('keeps the run open until it has arrived too, though its item was delivered', () => {
    const half = play(running(), postback('shipped', { jobId: POSTER.jobId }), tracked('delivered')).state;
    const made = play(
      half,
      again([]),
      postback('cancelled', { items: [{ jobId: STICKER.jobId, quantity: null }] }),
    );
    const { state } = play(made.state, { type: 'cancel_items', ...byOperator, itemIds: [STICKER.itemId] });
    expect(statuses(state)).toEqual(['delivered', 'cancelled']);
    expect(state.phase).toBe('running');
    const end = play(state, postback('shipped', { printOrderId: '502' }), tracked('delivered', '502')).state;
    expect(end.phase).toBe('closed');
  });

  test('said twice is made once', () => {
    const event = again([{ jobId: POSTER.jobId, quantity: 3 }]);
    const once = play(running(), event);
    const twice = play(once.state, event);
    expect(twice.state).toBe(once.state);
    expect(twice.effects).toEqual([]);
  });
});

describe('hold', () => {
  test('shows every item on hold until release brings them to where they are', () => {
    const held = play(
      running(),
      { type: 'hold', ...byOperator },
      postback('printed', { jobId: POSTER.jobId }),
    ).state;
    expect(statuses(held)).toEqual(['on_hold', 'on_hold']);
    const { state } = play(held, { type: 'release', ...byOperator });
    expect(statuses(state)).toEqual(['printed', 'passed']);
  });

  test('nothing is handed over while it stands', () => {
    const held = play(
      newOrder(),
      { type: 'hold', ...byOperator },
      { type: 'prepared', printOrders: [plan()] },
    );
    expect(kinds(held.effects)).not.toContain('deliver_print_order');
    expect(kinds(play(held.state, { type: 'release', ...byOperator }).effects)).toContain(
      'deliver_print_order',
    );
  });
});

test('a label that the carrier does not take back is told in the log, and changes nothing else', () => {
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
