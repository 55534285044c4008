import fc from 'fast-check';
import { reroutedUnits } from '../../../../../../src/orders/domain/lifecycle/facts/reroutes';
import { nextDeadline } from '../../../../../../src/orders/domain/lifecycle/rules/deadlines';
import { whyNotRepair, whyNotRerouteUnits } from '../../../../../../src/orders/domain/lifecycle/rules/guards';
import type { RunEvent } from '../../../../../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../../../../../src/orders/domain/lifecycle/run-state';
import {
  byOperator,
  cancelled,
  cancelRequested,
  cancelResponse,
  dispatched,
  having,
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
  update,
} from '../run-fixture';

/** A print order makes units of a partner only when the partner has agreed to stop, or an operator forces it. */

const UNTIL = Date.UTC(2026, 0, 6);
const ohio = plan({
  id: '502',
  partnerId: 'ohio',
  partnerUid: 'prints-ohio',
  reproducesId: '501',
  jobs: [{ id: '801', itemId: POSTER.itemId, quantity: 3 }],
});
/** A reroute that does not wait for the partner. */
const atOnce = {
  type: 'rerouted',
  action: 'reroute',
  ...byOperator,
  printOrder: ohio,
  units: [{ jobId: POSTER.jobId, quantity: 3 }],
} as const satisfies RunEvent;
const reroute: RunEvent = { ...atOnce, waitsUntil: UNTIL };
/** Makes units of the item again. */
const again = (quantity: number): RunEvent => ({
  ...atOnce,
  action: 'reproduce',
  printOrder: { ...ohio, jobs: [{ ...ohio.jobs[0]!, quantity: quantity || 1 }] },
  units: quantity === 0 ? [] : [{ jobId: POSTER.jobId, quantity }],
});
const response = (outcome: 'confirmed' | 'refused') => cancelResponse(outcome, [POSTER.jobId]);
const due: RunEvent = { type: 'reroute_due', printOrderId: '502' };
const forced: RunEvent = { type: 'reroute_forced', ...byOperator, printOrderId: '502' };

const ids = ({ printOrders }: RunState) => printOrders.map(({ id }) => id);
const delivered = ({ effects }: ReturnType<typeof play>) =>
  effects.flatMap((effect) => (effect.type === 'deliver_print_order' ? [effect.printOrderId] : []));

test('the new print order waits, and the partner is asked to stop', () => {
  const { state, effects } = play(running(), reroute);
  expect(kinds(effects)).toEqual(['reroute_requested', 'request_partner_cancel']);
  expect(effects[1]).toMatchObject({ printOrderId: '501', jobIds: [POSTER.jobId] });
  expect(ids(state)).toEqual(['501']);
  expect(job(state, POSTER.jobId)).toMatchObject({ stopRequest: 'waiting', ended: null });
  const settings = { receivedDeadlineMs: 60_000, untrackedEndMs: 60_000, stopDeadlineMs: 60_000 };
  const clock = { acceptedAt: {}, raised: [], shippedAt: null };
  expect(nextDeadline(state, clock, settings)).toEqual({ kind: 'stop', printOrderId: '502', at: UNTIL });
});

test('when the partner agrees, the new print order is delivered', () => {
  const played = play(running(), reroute, response('confirmed'));
  expect(delivered(played)).toEqual(['502']);
  expect(job(played.state, POSTER.jobId)).toMatchObject({ ended: 'superseded', stopRequest: 'agreed' });
  expect(played.state).not.toHaveProperty('waitingReroutes');
  expect(kinds(played.effects)).toEqual([
    'reroute_requested',
    'request_partner_cancel',
    'partner_cancel_confirmed',
    'reroute',
    'release_stock',
    // The first partner keeps the other item.
    'replan_shipments',
    'deliver_print_order',
  ]);
});

test.each<[string, RunEvent[]]>([
  ['a postback', [cancelled(null)]],
  ['a postback for the print order', [postback('cancelled')]],
])('the partner can agree by %s', (_how, events) => {
  const played = play(running(), reroute, ...events);
  expect(delivered(played)).toEqual(['502']);
  expect(played.effects.filter(({ type }) => type === 'refund')).toEqual([]);
});

test('when the partner refuses, the units stay with it, and an operator is needed', () => {
  const played = play(running(), postback('received'), reroute, response('refused'));
  expect(delivered(played)).toEqual([]);
  expect(job(played.state, POSTER.jobId)).toMatchObject({ ended: null, stopRequest: 'refused' });
  expect(job(played.state, '801').ended).toBe('superseded');
  expect(played.state.attention).toEqual(['not_rerouted']);
  expect(played.effects).toContainEqual({ type: 'release_stock', jobIds: ['801'] });
  expect(played.effects).toContainEqual({
    type: 'log',
    event: 'reroute_withdrawn',
    printOrderId: '502',
    data: { why: 'refused' },
  });
  // The reason disappears when the partner ships the units, or when the operator lets it continue.
  expect(play(played.state, postback('shipped')).state.attention).toEqual([]);
  const dismissed = play(played.state, { type: 'dismiss', ...byOperator }).state;
  expect(dismissed.attention).toEqual([]);
});

describe('after the deadline', () => {
  test.each<[string, RunEvent[]]>([
    ['it has not acknowledged', []],
    ['whose production it stopped with an error', [postback('received'), postback('error')]],
  ])('units that %s go to the new print order', (_which, said) => {
    const played = play(running(), ...said, reroute, due);
    expect(delivered(played)).toEqual(['502']);
    expect(played.effects).toContainEqual(
      expect.objectContaining({ event: 'reroute', data: expect.objectContaining({ unanswered: true }) }),
    );
  });

  test.each<[string, RunEvent[]]>([
    ['in production', [postback('received')]],
    ['printed', [postback('printed')]],
    ['labelled', [dispatched]],
  ])('units that are %s stay with the partner', (_state, said) => {
    const played = play(running(), ...said, reroute, due);
    expect(delivered(played)).toEqual([]);
    expect(job(played.state, POSTER.jobId)).toMatchObject({ ended: null, stopRequest: 'unanswered' });
    expect(played.state.attention).toEqual(['not_rerouted']);
  });

  test.each<[string, RunEvent]>([
    ['starts production', postback('received')],
    ['refuses', response('refused')],
    ['ships', postback('shipped')],
  ])('a partner that lost its units and %s makes them twice, which needs attention', (_what, said) => {
    const { state } = play(running(), reroute, due, said);
    expect(state.attention).toEqual(['made_twice']);
  });
});

test('a partner that agreed to stop and then ships makes the units twice', () => {
  expect(play(running(), reroute, response('confirmed'), postback('shipped')).state.attention).toEqual(['made_twice']);
});

describe('force', () => {
  test('hands over at once, and asks the partner too', () => {
    const played = play(running(), postback('received'), { ...atOnce, force: true });
    expect(delivered(played)).toEqual(['502']);
    expect(kinds(played.effects)).toContain('request_partner_cancel');
    expect(played.effects).toContainEqual(
      expect.objectContaining({ event: 'reroute', data: expect.objectContaining({ force: true }) }),
    );
    // The operator decided so: a refusal is logged, and changes nothing.
    const refused = play(played.state, response('refused'));
    expect(kinds(refused.effects)).toEqual(['partner_cancel_refused']);
    expect(statuses(refused.state)).toEqual(statuses(played.state));
    expect(play(refused.state, postback('shipped')).state.attention).toEqual([]);
  });

  test('ends the wait for the partner', () => {
    const played = play(running(), postback('received'), reroute, forced);
    expect(delivered(played)).toEqual(['502']);
    expect(played.effects.filter(({ type }) => type === 'request_partner_cancel')).toHaveLength(1);
    expect(play(played.state, response('refused')).state.attention).toEqual([]);
  });

  test('moves units whose partner refused before', () => {
    const refused = play(running(), postback('received'), reroute, response('refused')).state;
    const printOrder = { ...ohio, id: '503', jobs: [{ ...ohio.jobs[0]!, id: '802' }] };
    const played = play(refused, { ...atOnce, printOrder, force: true });
    expect(delivered(played)).toEqual(['503']);
    expect(played.state.attention).toEqual([]);
  });
});

describe('units that are cancelled while the reroute is planned', () => {
  const cancelUnit: RunEvent = { type: 'cancel_units', ...byOperator, units: [{ itemId: POSTER.itemId, quantity: 1 }] };
  const agreed = update('accepted');

  test.each<[string, RunEvent[], object]>([
    ['waits for the partner', [cancelUnit, reroute, agreed, response('confirmed')], {}],
    // The refund of their shipping price follows the plan of the new print order.
    ['does not wait', [cancelUnit, agreed, { ...atOnce, force: true }], { refunds: true }],
  ])('are not made by a reroute that %s', (_how, events, refunds) => {
    const played = play(running(), ...events);
    expect(delivered(played)).toEqual(['502']);
    expect(job(played.state, '801')).toMatchObject({ quantity: 2, ended: null });
    expect(job(played.state, POSTER.jobId)).toMatchObject({ ended: 'superseded' });
    expect(played.effects.filter(({ type }) => type === 'refund')).toHaveLength(1);
    expect(played.effects).toContainEqual({
      type: 'replan_shipments',
      printOrderIds: expect.arrayContaining(['502']),
      ...refunds,
    });
  });
});

test.each<[string, RunEvent]>([
  ['shipped', postback('shipped')],
  ['were cancelled by the client', cancelRequested],
  ['were cancelled by an operator', { type: 'cancel_items', ...byOperator, itemIds: [POSTER.itemId] }],
])('units that %s are not made again', (_what, event) => {
  const played = play(running(), reroute, event);
  expect(delivered(played)).toEqual([]);
  expect(played.state).not.toHaveProperty('waitingReroutes');
  expect(job(played.state, '801').ended).toBe('superseded');
  expect(played.state.attention).not.toContain('not_rerouted');
});

test('a client’s cancel during the wait is settled by the partner’s agreement', () => {
  const { state, effects } = play(
    running(),
    reroute,
    cancelRequested,
    cancelResponse('confirmed', [POSTER.jobId, STICKER.jobId]),
  );
  expect(state.phase).toBe('closed');
  expect(effects.filter(({ type }) => type === 'refund')).toHaveLength(1);
});

test('a held order gets the new print order at the release', () => {
  const waiting = play(running(), reroute, hold, response('confirmed'));
  expect(delivered(waiting)).toEqual([]);
  expect(delivered(play(waiting.state, release))).toEqual(['502']);
});

describe('an operator’s request', () => {
  const request = {
    ...byOperator,
    action: 'reroute' as const,
    itemId: POSTER.itemId,
    quantity: null,
    partnerId: null,
  };

  test('for some units of a job that a partner has needs force', () => {
    expect(whyNotRerouteUnits(running(), { ...request, quantity: 2 })).toMatchObject({ type: 'Conflict' });
    expect(whyNotRerouteUnits(running(), { ...request, quantity: 2, force: true })).toBeNull();
    expect(whyNotRerouteUnits(running(), request)).toBeNull();
    expect(whyNotRerouteUnits(having(cancelled(2)), { ...request, quantity: 2 })).toBeNull();
  });

  test('for an item that waits is refused, unless it forces the same reroute', () => {
    const waiting = play(running(), reroute).state;
    expect(whyNotRepair(waiting, request)).toMatchObject({ type: 'Conflict' });
    expect(whyNotRepair(waiting, { ...request, force: true })).toBeNull();
    expect(whyNotRepair(waiting, { ...request, force: true, partnerId: 'ohio', quantity: 3 })).toBeNull();
    expect(whyNotRepair(waiting, { ...request, force: true, partnerId: 'lyon' })).not.toBeNull();
    expect(whyNotRepair(waiting, { ...request, itemId: STICKER.itemId })).toBeNull();
  });
});

describe('a reroute that does not wait', () => {
  test('makes cancelled units and leaves the others', () => {
    const { state } = play(running(), cancelled(1), again(1));
    expect(job(state, POSTER.jobId)).toMatchObject({ quantity: 2, cancelledQuantity: 0, ended: null });
    expect(statuses(state)).toEqual(['passed', 'passed']);
    expect(state.attention).toEqual([]);
  });

  test('is not delivered when the units shipped while it was planned', () => {
    const { state, effects } = play(running(), postback('printed'), postback('shipped'), again(3));
    expect(kinds(effects).slice(-2)).toEqual(['reproduce', 'release_stock']);
    expect(job(state, '801').ended).toBe('superseded');
    expect(statuses(state)).toEqual(['shipped', 'shipped']);
  });

  test('is not delivered when the order ended while it was planned', () => {
    const ended = play(running(), tracked('delivered')).state;
    const { effects } = play(ended, again(0));
    expect(kinds(effects)).toEqual(['reproduce', 'release_stock']);
  });

  test('keeps the run open until it is delivered, also when its item was delivered before', () => {
    const half = play(running(), postback('shipped', { jobId: POSTER.jobId }), tracked('delivered')).state;
    const made = play(half, again(0), postback('cancelled', { items: [{ jobId: STICKER.jobId, quantity: null }] }));
    const { state } = play(made.state, { type: 'cancel_items', ...byOperator, itemIds: [STICKER.itemId] });
    expect(statuses(state)).toEqual(['delivered', 'cancelled']);
    expect(state.phase).toBe('running');
    const end = play(state, postback('shipped', { printOrderId: '502' }), tracked('delivered', '502')).state;
    expect(end.phase).toBe('closed');
  });

  test('with a known print order id changes nothing', () => {
    const event = again(3);
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

test('each unit is ordered from one partner, and without force from no second one before the first has agreed or has not acknowledged it', () => {
  const move = fc.record({
    kind: fc.constant('reroute' as const),
    itemId: fc.constantFrom(POSTER.itemId, STICKER.itemId),
    quantity: fc.constantFrom(null, 1, 2, 3),
    partnerId: fc.constantFrom(null, 'berlin', 'ohio', 'lyon'),
    force: fc.boolean(),
  });
  const said = fc.record({
    kind: fc.constant('postback' as const),
    status: fc.constantFrom('received', 'printed', 'error', 'cancelled', 'shipped' as const),
    printOrder: fc.nat(4),
    units: fc.constantFrom(null, 1, 2),
  });
  const responded = fc.record({
    kind: fc.constant('response' as const),
    outcome: fc.constantFrom('confirmed', 'refused' as const),
    printOrder: fc.nat(4),
  });
  const passed = fc.record({ kind: fc.constant('due' as const) });
  let handedOver = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof(move, said, responded, passed), { maxLength: 14 }), (script) => {
      let state = running();
      let next = 900;
      const step = (event: RunEvent): void => {
        const before = state;
        const played = play(state, event);
        ({ state } = played);
        for (const id of delivered(played)) {
          if (before.printOrders.some((printOrder) => printOrder.id === id)) continue;
          handedOver += 1;
          if ('force' in event && event.force) continue;
          const itemId = state.printOrders.find((printOrder) => printOrder.id === id)!.jobs[0]!.itemId;
          const left = before.printOrders.flatMap(({ jobs, shipment }) =>
            jobs.flatMap((each) => (each.itemId === itemId && each.ended === null ? [{ ...each, shipment }] : [])),
          );
          const taken = left.filter((each) => job(state, each.id).ended === 'superseded');
          for (const each of taken) {
            const { stopRequest } = job(state, each.id);
            const isStopped = each.error !== null && each.error.at >= each.progressAt;
            const isSilent = stopRequest === 'unanswered' && (each.progress === 0 || isStopped);
            const isCancelled = job(state, each.id).cancelledQuantity === each.quantity;
            expect([stopRequest === 'agreed', isSilent, isCancelled]).toContain(true);
          }
        }
      };
      for (const line of script) {
        const printOrderOf = (index: number) => state.printOrders[index % state.printOrders.length]!;
        if (line.kind === 'due') {
          for (const { printOrder } of state.waitingReroutes ?? []) {
            step({ type: 'reroute_due', printOrderId: printOrder.id });
          }
        } else if (line.kind === 'response') {
          const { id, jobs } = printOrderOf(line.printOrder);
          const jobIds = jobs.map((each) => each.id);
          step({ type: 'partner_cancel', printOrderId: id, jobIds, outcome: line.outcome, message: '' });
        } else if (line.kind === 'postback') {
          const { id, jobs } = printOrderOf(line.printOrder);
          const isList = line.status === 'cancelled' && line.units !== null;
          const items = isList ? [{ jobId: jobs[0]!.id, quantity: line.units }] : null;
          step(postback(line.status, { printOrderId: id, items }));
        } else {
          const { itemId, partnerId, force } = line;
          const request = {
            ...byOperator,
            action: 'reroute' as const,
            itemId,
            quantity: line.quantity,
            partnerId,
            force,
          };
          if ((whyNotRepair(state, request) ?? whyNotRerouteUnits(state, request)) !== null) continue;
          const units = reroutedUnits(state, request);
          next += 1;
          const quantity = units.reduce((sum, taken) => sum + taken.quantity, 0);
          const printOrder = plan({
            id: String(next),
            partnerId: partnerId ?? 'ohio',
            jobs: [{ id: `${next}0`, itemId, quantity }],
          });
          const rerouted = { type: 'rerouted', action: 'reroute', ...byOperator } as const;
          step({ ...rerouted, printOrder, units, ...(force ? { force } : { waitsUntil: UNTIL }) });
        }
        for (const item of state.items) {
          const ordered = state.printOrders
            .flatMap(({ jobs }) => jobs)
            .filter((each) => each.itemId === item.id && each.ended === null)
            .reduce((sum, each) => sum + each.quantity, 0);
          expect(ordered).toBe(item.quantity);
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(handedOver).toBeGreaterThan(100);
});

test('a partner that ships the whole print order, of which the rest is cancelled, has shipped cancelled units', () => {
  const { state } = play(
    running(),
    atOnce,
    { type: 'cancel_items', ...byOperator, itemIds: [STICKER.itemId] },
    cancelResponse('confirmed', [STICKER.jobId]),
    postback('shipped'),
  );
  expect(state.attention).toContain('cancelled_shipped');
});
