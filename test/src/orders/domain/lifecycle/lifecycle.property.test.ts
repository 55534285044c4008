import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import type {
  PostbackEvent,
  RunEffect,
  RunEvent,
} from '../../../../../src/orders/domain/lifecycle/run-events';
import { initialRunState, type RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import { isProgress, PROGRESS_RANK } from '../../../../../src/orders/domain/lifecycle/statuses';

const JOBS = [
  { id: '701', itemId: '1', quantity: 3 },
  { id: '702', itemId: '2', quantity: 1 },
];

function runningOrder(): RunState {
  const state = initialRunState([
    { id: '1', quantity: 3 },
    { id: '2', quantity: 1 },
  ]);
  return reduce(state, {
    type: 'prepared',
    printOrders: [
      {
        id: '501',
        partnerId: 'p',
        partnerUid: 'p',
        dispatchDate: '2026-01-09',
        reproducesId: null,
        jobs: JOBS,
      },
    ],
  }).state;
}

const postbackArbitrary: fc.Arbitrary<Omit<PostbackEvent, 'eventId'>> = fc
  .record({
    status: fc.constantFrom('received', 'printed', 'shipped', 'error', 'cancelled' as const),
    minute: fc.integer({ min: 10, max: 15 }),
    jobId: fc.constantFrom(null, '701', '702'),
    items: fc.constantFrom(
      null,
      [{ jobId: '701', quantity: 1 }],
      [{ jobId: '701', quantity: 2 }],
      [{ jobId: '702', quantity: null }],
    ),
  })
  .map(({ status, minute, jobId, items }) => ({
    type: 'postback' as const,
    printOrderId: '501',
    status,
    at: `2026-01-05T10:${minute}:00.000Z`,
    message: status === 'error' ? `fault at ${minute}` : null,
    jobId: status === 'cancelled' ? null : jobId,
    items: status === 'cancelled' ? items : null,
    trackingCode: null,
    trackingLink: null,
  }));

const postbacks = fc
  .array(postbackArbitrary, { minLength: 1, maxLength: 5 })
  .map((list) => list.map((postback, index): PostbackEvent => ({ ...postback, eventId: `e${index}` })));

function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((head, index) => permutations(list.toSpliced(index, 1)).map((tail) => [head, ...tail]));
}

/** Every choice of one to `most` of the list. */
function subsets<T>(list: readonly T[], most: number): T[][] {
  if (most === 0) return [];
  return list.flatMap((head, index) => [
    [head],
    ...subsets(list.slice(index + 1), most - 1).map((rest) => [head, ...rest]),
  ]);
}

/** How often an item's status was less far along than it had been before. */
function stepsBack(states: readonly RunState[], itemId: string): number {
  let highest = 0;
  let count = 0;
  for (const state of states) {
    const { status } = state.items.find((item) => item.id === itemId)!;
    if (!isProgress(status)) continue;
    if (PROGRESS_RANK[status] < highest) count += 1;
    highest = Math.max(highest, PROGRESS_RANK[status]);
  }
  return count;
}

/** What must not depend on the order of arrival: everything but the count of changes and the order in `seen`. */
function essence(state: RunState) {
  return { ...state, version: 0, seen: [...state.seen].sort() };
}

function play(events: readonly RunEvent[]): { states: RunState[]; effects: RunEffect[] } {
  const states = [runningOrder()];
  const effects: RunEffect[] = [];
  for (const event of events) {
    const step = reduce(states.at(-1)!, event);
    states.push(step.state);
    effects.push(...step.effects);
  }
  return { states, effects };
}

describe('postbacks in any order and any number', () => {
  test('every permutation, with duplicates, of up to five postbacks reaches one state', () => {
    fc.assert(
      fc.property(postbacks, fc.array(fc.nat(4), { maxLength: 5 }), (events, repeats) => {
        const expected = essence(play(events).states.at(-1)!);
        for (const permutation of permutations(events)) {
          const again = permutation.filter((_, index) => repeats.includes(index));
          const atOnce = permutation.flatMap((event) => (again.includes(event) ? [event, event] : [event]));
          for (const told of [atOnce, [...permutation, ...again.toReversed()]]) {
            expect(essence(play(told).states.at(-1)!)).toEqual(expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('every set of up to five of these, told at the same times by the partner, in every order', () => {
    const said = (more: Partial<PostbackEvent>, index: number): PostbackEvent => ({
      type: 'postback',
      eventId: `e${index}`,
      printOrderId: '501',
      status: 'received',
      at: '2026-01-05T10:00:00.000Z',
      message: null,
      jobId: null,
      items: null,
      trackingCode: null,
      trackingLink: null,
      ...more,
    });
    const later = '2026-01-05T10:01:00.000Z';
    const all = (
      [
        { status: 'received' },
        { status: 'printed', jobId: '701' },
        { status: 'printed', at: later },
        { status: 'shipped', jobId: '702' },
        { status: 'shipped', at: later },
        { status: 'error', message: 'no ink' },
        { status: 'error', message: 'no paper', jobId: '701' },
        { status: 'error', message: 'no power', at: later },
        { status: 'cancelled', items: [{ jobId: '701', quantity: 1 }] },
        { status: 'cancelled', items: [{ jobId: '702', quantity: null }], at: later },
        { status: 'cancelled' },
      ] satisfies Partial<PostbackEvent>[]
    ).map(said);
    let back = 0;
    for (const events of subsets(all, 5)) {
      const ends = permutations(events).map((permutation) => {
        const { states } = play(permutation);
        back += stepsBack(states, '1') + stepsBack(states, '2');
        return essence(states.at(-1)!);
      });
      const other = ends.find((end) => !isDeepStrictEqual(end, ends[0]));
      if (other !== undefined) expect({ events, end: other }).toEqual({ events, end: ends[0] });
    }
    expect(back).toBe(0);
  });

  test('no progress ever goes back', () => {
    fc.assert(
      fc.property(postbacks, (events) => {
        for (const permutation of permutations(events)) {
          const { states } = play(permutation);
          for (const itemId of ['1', '2']) expect(stepsBack(states, itemId)).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a duplicate gives the same state object and nothing to do', () => {
    fc.assert(
      fc.property(postbacks, (events) => {
        const { states } = play(events);
        const end = states.at(-1)!;
        for (const event of events) {
          const again = reduce(end, event);
          expect(again.state).toBe(end);
          expect(again.effects).toEqual([]);
        }
      }),
    );
  });

  test('stock of a job is consumed once', () => {
    fc.assert(
      fc.property(postbacks, (events) => {
        const consumed = play(events).effects.flatMap((effect) =>
          effect.type === 'consume_stock' ? effect.jobs.map(({ id }) => id) : [],
        );
        expect(new Set(consumed).size).toBe(consumed.length);
      }),
    );
  });
});
