import { whyNotRepair } from '../../../../../../src/orders/domain/lifecycle/rules/guards';
import { nextStepOf } from '../../../../../../src/orders/domain/lifecycle/rules/next-step';
import {
  type BulkRepairRequest,
  impossibleRepairs,
  POSSIBLE_REPAIRS,
  type PossibleRepair,
  possibleRepairs,
  repairsOfOrder,
} from '../../../../../../src/orders/domain/lifecycle/rules/possible-repairs';
import { repairSchema, SINGLE_REPAIRS } from '../../../../../../src/orders/domain/lifecycle/rules/repairs';
import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import {
  byOperator,
  delivery,
  having,
  hold,
  newOrder,
  POSTER,
  play,
  postback,
  prepared,
  STICKER,
  tracked,
} from '../run-fixture';

/** The repairs that are possible now, and who has to act next. */

const starting = (...events: RunEvent[]): RunState => play(newOrder(), ...events).state;
const shipped = [postback('received'), postback('printed'), postback('shipped')];

const ITEMS = [POSTER.itemId, STICKER.itemId];

type Names = readonly PossibleRepair['action'][];
/** While a partner makes the items. */
const WITH_PARTNER = ['reroute', 'reproduce', 'hold', 'cancel', 'mark_shipped', 'change_shipping'] as const;
const SITUATIONS: readonly [string, RunState, Names, who: string, waitsFor: string][] = [
  [
    'being prepared',
    starting({ type: 'fetching_files' }),
    ['retry', 'hold', 'cancel', 'change_shipping'],
    'pressline',
    'planning',
  ],
  [
    'without a partner',
    starting({ type: 'fetching_files' }, { type: 'parked', reason: 'no_partner', message: 'none' }),
    ['retry', 'hold', 'cancel', 'change_shipping'],
    'operator',
    'partner_found',
  ],
  [
    'with a file that does not fit',
    starting({ type: 'fetching_files' }, { type: 'parked', reason: 'file_check', message: 'too small' }),
    ['accept_files', 'retry', 'hold', 'cancel', 'change_shipping'],
    'client',
    'file_replaced',
  ],
  [
    'being delivered',
    starting({ type: 'fetching_files' }, prepared),
    ['reroute', 'reproduce', 'hold', 'cancel', 'change_shipping'],
    'pressline',
    'delivery',
  ],
  ['accepted', having(), WITH_PARTNER, 'partner', 'received'],
  ['in production', having(postback('received')), WITH_PARTNER, 'partner', 'printed'],
  ['printed', having(postback('received'), postback('printed')), WITH_PARTNER, 'partner', 'dispatch'],
  ['on hold', having(hold), ['release', 'cancel', 'change_shipping'], 'operator', 'release'],
  [
    'refused by its partner',
    having(delivery('refused')),
    ['retry', 'reroute', 'reproduce', 'hold', 'cancel', 'change_shipping'],
    'operator',
    'repair',
  ],
  [
    'undeliverable',
    having(delivery('undeliverable')),
    ['retry', 'reroute', 'reproduce', 'hold', 'cancel', 'change_shipping'],
    'operator',
    'repair',
  ],
  ['in error', having(postback('received'), postback('error')), ['retry', ...WITH_PARTNER], 'operator', 'repair'],
  [
    'cancelled by its partner',
    having(postback('cancelled')),
    ['reroute', 'reproduce', 'hold', 'cancel', 'refund', 'change_shipping'],
    'operator',
    'repair',
  ],
  ['shipped', having(...shipped), ['reproduce', 'claim'], 'carrier', 'tracking'],
  ['delivered', having(...shipped, tracked('delivered')), [], 'nobody', 'nothing'],
];

test.each(SITUATIONS)('an order that is %s accepts the listed repairs', (_what, state, names, who, waitsFor) => {
  expect(possibleRepairs(state).map(({ action }) => action)).toEqual(names);
  expect(nextStepOf(state, [], null)).toMatchObject({ who, waitsFor });
});

test.each(SITUATIONS)('an order that is %s says why it accepts no other repair', (_what, state, names) => {
  const others = impossibleRepairs(possibleRepairs(state), state);
  expect([...names, ...others.map(({ action }) => action)].sort()).toEqual(
    POSSIBLE_REPAIRS.filter((action) => action !== 'revive').sort(),
  );
  for (const { reason } of others) expect(reason).not.toMatch(/\d|undefined|^$/);
});

test('every repair that is not listed is refused by the workflow’s validator', () => {
  for (const [, state, names] of SITUATIONS) {
    for (const action of SINGLE_REPAIRS.filter((each) => !names.includes(each))) {
      const requests =
        action === 'reroute' || action === 'reproduce'
          ? ITEMS.map((itemId) => ({ action, itemId, quantity: null, partnerId: null, ...byOperator }))
          : [{ action, itemIds: ITEMS, ...byOperator }];
      for (const request of requests) expect(whyNotRepair(state, request as never)).not.toBeNull();
    }
  }
});

test('only the items in error can be retried', () => {
  const state = having(postback('error', { jobId: STICKER.jobId }));
  expect(possibleRepairs(state)).toContainEqual({
    action: 'retry',
    itemIds: [STICKER.itemId],
    reasons: [],
    reroutes: [],
    printOrderIds: [],
  });
});

test('a reroute that waits for its partner needs force', () => {
  const state = having(postback('received'));
  const waiting: RunState = {
    ...state,
    waitingReroutes: [
      {
        action: 'reroute',
        ...byOperator,
        printOrder: { ...state.printOrders[0]!, id: '502', partnerId: 'ohio', partnerUid: 'prints-ohio' },
        units: [{ jobId: POSTER.jobId, quantity: 3 }],
        until: Date.parse('2026-01-05T13:00:00Z'),
        shippingRevision: 0,
      },
    ],
  };
  expect(possibleRepairs(waiting)).toContainEqual(
    expect.objectContaining({
      action: 'reroute',
      reroutes: expect.arrayContaining([
        expect.objectContaining({ itemId: POSTER.itemId, needsForce: true, currentPartnerIds: ['berlin'] }),
      ]),
    }),
  );
  expect(nextStepOf(waiting, [], null)).toMatchObject({ who: 'partner' });
});

test('the partner’s turn ends with its deadline, the carrier’s with the promised delivery', () => {
  const dueAt = '2026-01-05T10:15:00.000Z';
  const deadline = { reason: 'not_received', printOrderId: '501', dueAt, passed: false } as const;
  expect(nextStepOf(having(), [deadline], null)).toMatchObject({
    who: 'partner',
    printOrderId: '501',
    partnerUid: 'prints-berlin',
    dueAt,
  });
  expect(nextStepOf(having(...shipped), [], '2026-01-14T23:59:59Z')).toMatchObject({
    dueAt: '2026-01-14T23:59:59Z',
  });
});

test('every repair of the table can be requested', () => {
  const requested = repairSchema.options.flatMap(({ shape }) => [...shape.action._zod.values!]);
  expect(requested.sort()).toEqual([...SINGLE_REPAIRS].sort());
});

/** A repair of many orders. */
const bulk = (action: BulkRepairRequest['action']): BulkRepairRequest => ({
  action,
  by: 'grace',
  reason: 'press down',
  partnerId: null,
});

/** In production, with one item that waits for an operator. */
const withError = having(postback('received'), postback('error', { jobId: POSTER.jobId }));
const inProduction = having(postback('received'));

test('a bulk cancel takes every item that can be cancelled', () => {
  expect(repairsOfOrder(inProduction, bulk('cancel'))).toEqual({
    ok: true,
    requests: [{ action: 'cancel', by: 'grace', reason: 'press down', itemIds: ITEMS }],
  });
});

test('a bulk reroute takes the items that wait for an operator, one request for each', () => {
  const request = { action: 'reroute', by: 'grace', reason: 'press down', quantity: null, partnerId: 'q' };
  const repair = repairsOfOrder(withError, { ...bulk('reroute'), partnerId: 'q' });
  expect(repair).toEqual({ ok: true, requests: [{ ...request, itemId: POSTER.itemId }] });
});

test('a bulk reroute takes all items when none waits', () => {
  const repair = repairsOfOrder(inProduction, bulk('reroute'));
  expect(repair.ok && repair.requests.map((request) => 'itemId' in request && request.itemId)).toEqual(ITEMS);
});

test('a bulk repair that is not possible has the reason without ids, so that equal reasons count together', () => {
  expect(repairsOfOrder(inProduction, bulk('release'))).toEqual({ ok: false, why: 'the order is not on hold' });
  const shipped = repairsOfOrder(having(postback('shipped')), bulk('reroute'));
  expect(shipped.ok).toBe(false);
  expect(!shipped.ok && shipped.why).not.toMatch(/\d/);
});
