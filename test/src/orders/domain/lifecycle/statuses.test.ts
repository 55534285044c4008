import fc from 'fast-check';
import {
  deriveOrderStatus,
  ITEM_STATUSES,
  type ItemStatus,
  isProgress,
  ORDER_STATUSES,
  PROGRESS_RANK,
} from '../../../../../src/orders/domain/lifecycle/statuses';

const items = fc.array(fc.constantFrom(...ITEM_STATUSES), { minLength: 1, maxLength: 8 });

test('the status of an order does not depend on the order of its items', () => {
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

test('items of one status give the order that status, and cancelled items beside them do not count', () => {
  for (const status of ITEM_STATUSES) {
    const expected = { manual_handling: 'on_hold', cancelled: 'canceled' }[status as string] ?? status;
    expect(deriveOrderStatus([status, status])).toBe(expected);
    expect(deriveOrderStatus([status, 'cancelled'])).toBe(expected);
  }
});

test('an order is never more advanced than any item that counts', () => {
  fc.assert(
    fc.property(items, (all) => {
      const status = deriveOrderStatus(all) as ItemStatus;
      if (!isProgress(status)) return;
      for (const item of all)
        expect(item === 'cancelled' || (isProgress(item) && PROGRESS_RANK[item] >= PROGRESS_RANK[status])).toBe(true);
    }),
  );
});
