import { checkTransitions, ITEM_TRANSITIONS } from '../../../../../../src/orders/domain/lifecycle/rules/transitions';
import {
  ITEM_STATUSES,
  type ItemStatus,
  isFinal,
  isProgress,
  PROGRESS_RANK,
} from '../../../../../../src/orders/domain/lifecycle/statuses';

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
