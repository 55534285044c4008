import fc from 'fast-check';
import {
  deriveOrderStatus,
  ITEM_STATUSES,
  ITEM_TRANSITIONS,
  type ItemStatus,
  isFinal,
  isProgress,
  ORDER_STATUSES,
  PROGRESS_RANK,
} from '../../../../../src/orders/domain/lifecycle/statuses';

const items = fc.array(fc.constantFrom(...ITEM_STATUSES), { minLength: 1, maxLength: 8 });

test('an order’s status does not depend on the order of its items', () => {
  fc.assert(
    fc.property(
      items.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        const status = deriveOrderStatus(all);
        expect(deriveOrderStatus(shuffled)).toBe(status);
        expect(ORDER_STATUSES).toContain(status);
      },
    ),
  );
});

test('items that are all alike say so; cancelled ones beside them change nothing', () => {
  for (const status of ITEM_STATUSES) {
    const expected = { manual_handling: 'on_hold', cancelled: 'canceled' }[status as string] ?? status;
    expect(deriveOrderStatus([status, status])).toBe(expected);
    expect(deriveOrderStatus([status, 'cancelled'])).toBe(expected);
  }
});

test('an order is never further than any item that still counts', () => {
  fc.assert(
    fc.property(items, (all) => {
      const status = deriveOrderStatus(all) as ItemStatus;
      if (!isProgress(status)) return;
      for (const item of all)
        expect(
          item === 'cancelled' || (isProgress(item) && PROGRESS_RANK[item] >= PROGRESS_RANK[status]),
        ).toBe(true);
    }),
  );
});

test('no allowed change steps back on the line of progress, and nothing leaves an end but a parcel that comes back', () => {
  for (const [from, allowed] of Object.entries(ITEM_TRANSITIONS) as [ItemStatus, readonly ItemStatus[]][]) {
    for (const to of allowed) {
      if (isProgress(from) && isProgress(to)) expect(PROGRESS_RANK[to]).toBeGreaterThan(PROGRESS_RANK[from]);
      expect(to).not.toBe(from);
    }
    if (isFinal(from)) expect(allowed).toEqual(from === 'delivered' ? ['returned'] : []);
  }
});

test('every status but a draft can be reached from a new item', () => {
  const reached = new Set<ItemStatus>(['created']);
  for (const status of reached) for (const next of ITEM_TRANSITIONS[status]) reached.add(next);
  expect([...reached].sort()).toEqual(ITEM_STATUSES.filter((status) => status !== 'draft').sort());
});
