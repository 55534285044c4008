import fc from 'fast-check';
import {
  furthest,
  nextCheckHours,
  TRACKING_STATUS,
  TRACKING_STATUSES,
  type TrackingStatus,
  transitOf,
} from '../../../../src/consignments/domain/tracking-status';

const event = fc.record({
  statusUid: fc.constantFrom(...TRACKING_STATUSES),
  occurredAt: fc.integer({ min: 0, max: 9 }).map((hour) => `2026-01-05T0${hour}:00:00.000Z`),
});

test('the status does not depend on the order or repetition of events', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 12 }), fc.infiniteStream(fc.nat()), (events, random) => {
      const shuffled = [...events, ...events]
        .map((each) => ({ each, key: random.next().value as number }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each);

      expect(furthest(shuffled)).toBe(furthest(events));
    }),
  );
});

test('further events never lower the rank of a status', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1 }), event, (events, late) => {
      const rank = (status: TrackingStatus) => TRACKING_STATUS[status].rank;

      expect(rank(furthest([...events, late]))).toBeGreaterThanOrEqual(rank(furthest(events)));
    }),
  );
});

test.each([
  ['a late scan after delivery', ['delivered', '12:00'], ['in_transit', '18:00'], 'delivered'],
  ['a return after a failed delivery', ['failed_attempt', '12:00'], ['returned', '18:00'], 'returned'],
  ['a second delivery attempt', ['failed_attempt', '12:00'], ['out_for_delivery', '18:00'], 'out_for_delivery'],
  ['in transit again after an exception', ['shipping_exception', '12:00'], ['in_transit', '18:00'], 'in_transit'],
  ['registration only', ['registered', '12:00'], ['registered', '13:00'], 'registered'],
] as const)('%s', (_, first, second, expected) => {
  const events = [first, second].map(([statusUid, time]) => ({
    statusUid,
    occurredAt: `2026-01-05T${time}:00.000Z`,
  }));

  expect(furthest(events)).toBe(expected);
});

test('each status has a unique number, and 1, 2 and 6 are those that partners use', () => {
  const numbers = Object.values(TRACKING_STATUS).map(({ number }) => number);

  expect(new Set(numbers).size).toBe(TRACKING_STATUSES.length);
  expect([
    TRACKING_STATUS.in_transit.number,
    TRACKING_STATUS.out_for_delivery.number,
    TRACKING_STATUS.delivered.number,
  ]).toEqual([1, 2, 6]);
});

test('orders show in transit, delivered and returned', () => {
  expect(TRACKING_STATUSES.map((status) => [status, transitOf(status)])).toEqual([
    ['registered', null],
    ['dispatched', null],
    ['in_transit', 'in_transit'],
    ['shipping_exception', 'in_transit'],
    ['out_for_delivery', 'in_transit'],
    ['failed_attempt', 'in_transit'],
    ['available_for_pickup', 'in_transit'],
    ['not_picked_up', 'in_transit'],
    ['returned', 'returned'],
    ['delivered', 'delivered'],
  ]);
});

test('checks become less frequent with age and end with delivery', () => {
  expect(nextCheckHours('out_for_delivery', 3)).toBe(1);
  expect(nextCheckHours('in_transit', 3)).toBe(3);
  expect(nextCheckHours('in_transit', 40)).toBe(24);
  expect(nextCheckHours('in_transit', 91)).toBeNull();
  expect(nextCheckHours('registered', 3, true)).toBe(24);
  expect(nextCheckHours('delivered', 3)).toBeNull();
});
