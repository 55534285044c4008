import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { hasLeft } from '../../../../../src/orders/domain/lifecycle/facts/jobs';
import { reduce } from '../../../../../src/orders/domain/lifecycle/reduce';
import type { PostbackEvent, RunEffect, RunEvent } from '../../../../../src/orders/domain/lifecycle/run-events';
import { JOB_PROGRESS, type RunState } from '../../../../../src/orders/domain/lifecycle/run-state';
import { isProgress, PROGRESS_RANK } from '../../../../../src/orders/domain/lifecycle/statuses';
import { play, postback, running } from './run-fixture';

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

/** Returns every choice of one to `most` elements of the list. */
function subsets<T>(list: readonly T[], most: number): T[][] {
  if (most === 0) return [];
  return list.flatMap((head, index) => [
    [head],
    ...subsets(list.slice(index + 1), most - 1).map((rest) => [head, ...rest]),
  ]);
}

/** Returns how often an item's status was less advanced than before. */
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

/**
 * Returns the part of the state that must not depend on the order of arrival. An item that is shipped already is not affected by
 * a cancellation that arrives later, also one of an earlier time: all its facts are the same, and its status stays.
 */
function essence(state: RunState) {
  const contradicted = state.printOrders.flatMap((printOrder) =>
    printOrder.jobs
      .filter((job) => job.progress === JOB_PROGRESS.shipped && !hasLeft(job, printOrder))
      .map(({ itemId }) => itemId),
  );
  const items = state.items.map((item) => (contradicted.includes(item.id) ? { ...item, status: 'either' } : item));
  return { ...state, items, version: 0, seen: [...state.seen].sort() };
}

/** The state before the first event and after each event, with all effects. */
function playAll(events: readonly RunEvent[]): { states: RunState[]; effects: RunEffect[] } {
  const states = [running()];
  const effects: RunEffect[] = [];
  for (const event of events) {
    const step = play(states.at(-1)!, event);
    states.push(step.state);
    effects.push(...step.effects);
  }
  return { states, effects };
}

describe('postbacks in any order and with duplicates', () => {
  test('every permutation of up to five postbacks, with duplicates, leads to the same state', () => {
    fc.assert(
      fc.property(postbacks, fc.array(fc.nat(4), { maxLength: 5 }), (events, repeats) => {
        const expected = essence(playAll(events).states.at(-1)!);
        for (const permutation of permutations(events)) {
          const again = permutation.filter((_, index) => repeats.includes(index));
          const atOnce = permutation.flatMap((event) => (again.includes(event) ? [event, event] : [event]));
          for (const arrived of [atOnce, [...permutation, ...again.toReversed()]]) {
            expect(essence(playAll(arrived).states.at(-1)!)).toEqual(expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('every set of up to four postbacks from a fixed list leads to the same state in every order, without a step back', () => {
    const at = '2026-01-05T10:00:00.000Z';
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
      ] satisfies (Partial<PostbackEvent> & Pick<PostbackEvent, 'status'>)[]
    ).map(({ status, ...more }, index) => postback(status, { at, message: null, eventId: `e${index}`, ...more }));
    let back = 0;
    for (const events of subsets(all, 4)) {
      const ends = permutations(events).map((permutation) => {
        const { states } = playAll(permutation);
        back += stepsBack(states, '1') + stepsBack(states, '2');
        return essence(states.at(-1)!);
      });
      const other = ends.find((end) => !isDeepStrictEqual(end, ends[0]));
      if (other !== undefined) expect({ events, end: other }).toEqual({ events, end: ends[0] });
    }
    expect(back).toBe(0);
  });

  test('a duplicate returns the same state object and no effects', () => {
    fc.assert(
      fc.property(postbacks, (events) => {
        const { states } = playAll(events);
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
        const consumed = playAll(events).effects.flatMap((effect) =>
          effect.type === 'consume_stock' ? effect.jobs.map(({ id }) => id) : [],
        );
        expect(new Set(consumed).size).toBe(consumed.length);
      }),
    );
  });
});
