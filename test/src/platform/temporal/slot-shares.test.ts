import fc from 'fast-check';
import { createSlotShares } from '../../../../src/platform/temporal/slot-shares';

let now = 0;
const shares = (slots: number) => {
  now = 1_000_000;
  return createSlotShares(slots, { now: () => now });
};
type Taken = ReturnType<ReturnType<typeof shares>['take']>;
const isSlot = (taken: Taken) => 'release' in taken;
const release = (taken: Taken) => (taken as { release(): void }).release();
const waitOf = (taken: Taken) => (taken as { retryInMs: number }).retryInMs;

/** Takes slots for a key until it has its share. */
function takeAll(from: ReturnType<typeof shares>, key: string): Taken[] {
  const taken: Taken[] = [];
  for (let next = from.take(key); isSlot(next); next = from.take(key)) taken.push(next);
  return taken;
}

test('one key gets half of the slots, and two that are stuck leave a third to the next', () => {
  const twelve = shares(12);
  expect(takeAll(twelve, 'a')).toHaveLength(6);
  expect(takeAll(twelve, 'b')).toHaveLength(3);
  expect(takeAll(twelve, 'c')).toHaveLength(2);
  expect(takeAll(twelve, 'd')).toHaveLength(1);
});

test('a slot that is given back can be taken again, once', () => {
  const four = shares(4);
  const [first] = takeAll(four, 'a');
  release(first!);
  release(first!);
  expect(isSlot(four.take('a'))).toBe(true);
  expect(isSlot(four.take('a'))).toBe(false);
});

test('a key holds its oldest slot for as long as it was taken first', () => {
  const four = shares(4);
  expect(four.heldMs('a')).toBe(0);
  const [first, second] = takeAll(four, 'a');
  now += 700;
  expect(four.heldMs('a')).toBe(700);
  release(first!);
  takeAll(four, 'a');
  expect(four.heldMs('a')).toBe(700);
  release(second!);
  expect(four.heldMs('a')).toBe(0);
});

test('each key has at least one slot, and no more while none is free', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(5), { maxLength: 300 }), (slots, keys) => {
      const some = shares(slots);
      const held = new Map<string, number>();
      for (const key of keys.map(String)) {
        const sum = [...held.values()].reduce((a, b) => a + b, 0);
        const own = held.get(key) ?? 0;
        const got = isSlot(some.take(key));
        expect(got).toBe(own < Math.max(1, slots - sum));
        if (got) held.set(key, own + 1);
      }
    }),
  );
});

test('waiting activities try again at the rate at which slots of their key become free', () => {
  const four = shares(4);
  const [first] = takeAll(four, 'a');
  now += 30_000;
  // Two slots, held for 30 s: one becomes free every 15 s.
  expect([1, 2, 3].map(() => waitOf(four.take('a')))).toEqual([15_000, 30_000, 45_000]);
  release(first!);
  // Another key does not wait.
  expect(isSlot(four.take('b'))).toBe(true);
});

test('a wait is at least a quarter of a second, and at most five minutes', () => {
  const four = shares(4);
  takeAll(four, 'a');
  expect(waitOf(four.take('a'))).toBe(250);
  now += 3_600_000;
  expect(waitOf(four.take('a'))).toBe(300_000);
});
