import { whyNotRepair } from '../../../../../src/orders/domain/lifecycle/guards';
import {
  type PossibleRepair,
  possibleRepairs,
  REPAIR_ACTIONS,
} from '../../../../../src/orders/domain/lifecycle/possible-repairs';
import type { RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import { turnOf } from '../../../../../src/orders/domain/lifecycle/turn';
import { rowsOf } from '../../../../../src/orders/domain/run/run-rows';
import { type OrderRows, stateFromRows } from '../../../../../src/orders/domain/run/state-from-rows';
import { byOperator, newOrder, POSTER, plan, play, postback, running, STICKER, tracked } from './run-fixture';

/** The repairs that are possible now, and who has to act next: from the state of the workflow, and from the rows. */

interface Situation {
  readonly state: RunState;
  readonly events: readonly RunEvent[];
}

const having = (...events: RunEvent[]): Situation => ({ state: play(running(), ...events).state, events });
const starting = (...events: RunEvent[]): Situation => ({ state: play(newOrder(), ...events).state, events });
const hold: RunEvent = { type: 'hold', ...byOperator };
const delivery = (outcome: 'refused' | 'undeliverable'): RunEvent => ({
  type: 'delivery',
  printOrderId: '501',
  outcome,
  message: 'no',
});
const shipped = [postback('received'), postback('printed'), postback('shipped')];

type Names = readonly PossibleRepair['action'][];
const SITUATIONS: readonly [string, Situation, Names, who: string, waitsFor: string][] = [
  ['being prepared', starting({ type: 'fetching_files' }), ['hold', 'cancel'], 'pressline', 'planning'],
  [
    'without a partner',
    starting({ type: 'fetching_files' }, { type: 'parked', reason: 'no_partner', message: 'none' }),
    ['retry', 'hold', 'cancel'],
    'operator',
    'partner_found',
  ],
  [
    'being delivered',
    starting({ type: 'fetching_files' }, { type: 'prepared', printOrders: [plan()] }),
    ['reroute', 'reproduce', 'hold', 'cancel'],
    'pressline',
    'delivery',
  ],
  ['accepted', having(), ['reroute', 'reproduce', 'hold', 'cancel'], 'partner', 'received'],
  [
    'in production',
    having(postback('received')),
    ['reroute', 'reproduce', 'hold', 'cancel'],
    'partner',
    'printed',
  ],
  [
    'printed',
    having(postback('received'), postback('printed')),
    ['reroute', 'reproduce', 'hold', 'cancel'],
    'partner',
    'dispatch',
  ],
  ['on hold', having(hold), ['release', 'cancel'], 'operator', 'release'],
  [
    'refused by its partner',
    having(delivery('refused')),
    ['retry', 'reroute', 'reproduce', 'hold', 'cancel'],
    'operator',
    'repair',
  ],
  [
    'undeliverable',
    having(delivery('undeliverable')),
    ['retry', 'reroute', 'reproduce', 'hold', 'cancel'],
    'operator',
    'repair',
  ],
  [
    'in error',
    having(postback('received'), postback('error')),
    ['retry', 'reroute', 'reproduce', 'hold', 'cancel'],
    'operator',
    'repair',
  ],
  [
    'cancelled by its partner',
    having(postback('cancelled')),
    ['reroute', 'reproduce', 'hold', 'cancel'],
    'operator',
    'repair',
  ],
  ['shipped', having(...shipped), ['reproduce'], 'carrier', 'tracking'],
  ['delivered', having(...shipped, tracked('delivered')), [], 'nobody', 'nothing'],
];

/** The rows that a state and its postbacks leave in Postgres. */
function rowsFor({ state, events }: Situation): OrderRows {
  const rows = rowsOf(state);
  const statusOf = (list: readonly { id: string; status: string }[], id: string) =>
    list.find((row) => row.id === id)!.status;
  return {
    fulfillmentStatus: rows.fulfillmentStatus,
    attention: rows.attention.length === 0 ? null : rows.attention,
    shippingRevision: state.shippingRevision,
    runVersion: String(state.version),
    updatedAt: new Date('2026-01-05T12:00:00Z'),
    trackingEndedAt: null,
    items: state.items.map(({ id, quantity, status }) => ({ id, quantity, fulfillmentStatus: status })),
    printOrders: state.printOrders.map((printOrder) => ({
      ...printOrder,
      step: 'prepare:0',
      status: statusOf(rows.printOrders, printOrder.id).replace('pending', 'planned'),
      acceptedAt: printOrder.delivery === 'accepted' ? '2026-01-05T09:00:00Z' : null,
      dispatchDueAt: '2026-01-09T23:00:00Z',
      createdAt: '2026-01-05T08:00:00Z',
      jobs: printOrder.jobs.map(({ id, itemId, quantity }) => ({
        id,
        itemId,
        quantity,
        status: statusOf(rows.jobs, id),
      })),
      shipments: null,
      postbacks: events.flatMap((event) =>
        event.type === 'postback' ? [{ ...event, handledAt: event.at }] : [],
      ),
    })),
    events: events.filter(({ type }) => type === 'hold'),
  };
}

describe.each(SITUATIONS)('an order that is %s', (_what, situation, names, who, waitsFor) => {
  const fromRows = stateFromRows(rowsFor(situation), 60_000).state;

  test.each<[string, RunState]>([
    ['workflow', situation.state],
    ['rows', fromRows],
  ])('accepts the same repairs by its %s', (_source, state) => {
    expect(possibleRepairs(state).map(({ action }) => action)).toEqual(names);
    expect(turnOf(state, [], null)).toMatchObject({ who, waitsFor });
  });

  test('lists the same items and units from both', () => {
    expect(possibleRepairs(fromRows)).toEqual(possibleRepairs(situation.state));
  });
});

test('every repair that is not listed is refused by the workflow’s validator', () => {
  const itemIds = [POSTER.itemId, STICKER.itemId];
  for (const [, { state }, names] of SITUATIONS) {
    for (const action of REPAIR_ACTIONS.filter((each) => !names.includes(each))) {
      const requests =
        action === 'reroute' || action === 'reproduce'
          ? itemIds.map((itemId) => ({ action, itemId, quantity: null, partnerId: null, ...byOperator }))
          : [{ action, itemIds, ...byOperator }];
      for (const request of requests) expect(whyNotRepair(state, request as never)).not.toBeNull();
    }
  }
});

test('only the items in error can be retried', () => {
  const { state } = having(postback('error', { jobId: STICKER.jobId }));
  expect(possibleRepairs(state)).toContainEqual({ action: 'retry', itemIds: [STICKER.itemId] });
});

test('a replacement that waits for its partner needs force', () => {
  const { state } = having(postback('received'));
  const waiting: RunState = {
    ...state,
    waitingReplacements: [
      {
        action: 'reroute',
        ...byOperator,
        printOrder: { ...state.printOrders[0]!, id: '502', partnerId: 'ohio', partnerUid: 'prints-ohio' },
        replaces: [{ jobId: POSTER.jobId, quantity: 3 }],
        until: Date.parse('2026-01-05T13:00:00Z'),
        shippingRevision: 0,
      },
    ],
  };
  expect(possibleRepairs(waiting)).toContainEqual(
    expect.objectContaining({
      action: 'reroute',
      replacements: expect.arrayContaining([
        expect.objectContaining({ itemId: POSTER.itemId, needsForce: true, presentPartnerIds: ['berlin'] }),
      ]),
    }),
  );
  expect(turnOf(waiting, [], null)).toMatchObject({ who: 'partner' });
});

test('the partner’s turn ends with its deadline, the carrier’s with the promised delivery', () => {
  const dueAt = '2026-01-05T10:15:00.000Z';
  const deadline = { reason: 'not_received', printOrderId: '501', dueAt, passed: false } as const;
  expect(turnOf(having().state, [deadline], null)).toMatchObject({
    who: 'partner',
    printOrderId: '501',
    partnerUid: 'prints-berlin',
    dueAt,
  });
  expect(turnOf(having(...shipped).state, [], '2026-01-14T23:59:59Z')).toMatchObject({
    dueAt: '2026-01-14T23:59:59Z',
  });
});
