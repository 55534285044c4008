import fc from 'fast-check';
import { reduce } from '../../../src/orders/domain/lifecycle/reduce';
import type { PostbackEvent, RunEffect, RunEvent } from '../../../src/orders/domain/run-events';
import { initialRunState, type RunState } from '../../../src/orders/domain/run-state';
import { isProgress, PROGRESS_RANK } from '../../../src/orders/domain/statuses';

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
          const withDuplicates = permutation.flatMap((event, index) =>
            repeats.includes(index) ? [event, event] : [event],
          );
          expect(essence(play(withDuplicates).states.at(-1)!)).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('no progress ever goes back', () => {
    fc.assert(
      fc.property(postbacks, (events) => {
        for (const permutation of permutations(events).slice(0, 24)) {
          const { states } = play(permutation);
          for (const itemId of ['1', '2']) {
            let highest = 0;
            for (const state of states) {
              const { status } = state.items.find((item) => item.id === itemId)!;
              if (!isProgress(status)) continue;
              expect(PROGRESS_RANK[status]).toBeGreaterThanOrEqual(highest);
              highest = PROGRESS_RANK[status];
            }
          }
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
