import fc from 'fast-check';
import { checkTransitions, ITEM_TRANSITIONS } from '../../../../../src/orders/domain/lifecycle/rules/transitions';
import {
  deriveOrderStatus,
  ITEM_STATUSES,
  type ItemStatus,
  isFinal,
  isProgress,
  ORDER_STATUSES,
  PROGRESS_RANK,
} from '../../../../../src/orders/domain/lifecycle/statuses';

/** Statuses of items and orders, and the changes of items that are listed. */

const TABLE = Object.entries(ITEM_TRANSITIONS) as [ItemStatus, readonly ItemStatus[]][];

test('no listed change steps back in progress, and only a delivered parcel leaves a final status', () => {
  for (const [from, allowed] of TABLE) {
    for (const to of allowed) {
      if (isProgress(from) && isProgress(to)) expect(PROGRESS_RANK[to]).toBeGreaterThan(PROGRESS_RANK[from]);
      expect(to).not.toBe(from);
    }
    if (isFinal(from)) expect(allowed).toEqual(from === 'delivered' ? ['returned'] : []);
  }
});

test('every status except draft can be reached from a new item', () => {
  const reached = new Set<ItemStatus>(['created']);
  for (const status of reached) for (const next of ITEM_TRANSITIONS[status]) reached.add(next);
  expect([...reached].sort()).toEqual(ITEM_STATUSES.filter((status) => status !== 'draft').sort());
});

test.each(ITEM_STATUSES)('from %s, listed changes are made and all others are refused', (from) => {
  for (const to of ITEM_STATUSES) {
    const before = [{ id: '1', quantity: 1, status: from }];
    const after = [{ id: '1', quantity: 1, status: to }];
    const { items, refused } = checkTransitions(before, after);
    if (to === from || ITEM_TRANSITIONS[from].includes(to)) {
      expect({ items, refused }).toEqual({ items: after, refused: [] });
    } else {
      expect({ items, refused }).toEqual({ items: before, refused: [{ itemId: '1', from, to }] });
    }
  }
});

const anyItems = fc.array(fc.constantFrom(...ITEM_STATUSES), { minLength: 1, maxLength: 8 });

test('the status of an order does not depend on the order of its items', () => {
  fc.assert(
    fc.property(
      anyItems.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([all, shuffled]) => {
        const status = deriveOrderStatus(all);
        expect(deriveOrderStatus(shuffled)).toBe(status);
        expect(ORDER_STATUSES).toContain(status);
      },
    ),
  );
});

test('items of one status give the order that status, and cancelled items beside them do not count', () => {
  for (const status of ITEM_STATUSES) {
    const expected = { manual_handling: 'on_hold', cancelled: 'canceled' }[status as string] ?? status;
    expect(deriveOrderStatus([status, status])).toBe(expected);
    expect(deriveOrderStatus([status, 'cancelled'])).toBe(expected);
  }
});

test('an order is never more advanced than any item that counts', () => {
  fc.assert(
    fc.property(anyItems, (all) => {
      const status = deriveOrderStatus(all) as ItemStatus;
      if (!isProgress(status)) return;
      for (const item of all)
        expect(item === 'cancelled' || (isProgress(item) && PROGRESS_RANK[item] >= PROGRESS_RANK[status])).toBe(true);
    }),
  );
});
