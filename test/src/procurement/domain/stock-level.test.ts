import fc from 'fast-check';
import {
  alertUid,
  available,
  consume,
  consumeReserved,
  EMPTY_LEVEL,
  receive,
  release,
  reorderQuantity,
  reserve,
  type StockLevel,
} from '../../../../src/procurement/domain/stock-level';

const level = (quantity: number, reserved = 0, backorder = 0): StockLevel => ({
  quantity,
  reserved,
  backorder,
});

describe('receive and consume', () => {
  it('a receipt adds to the stock without a backorder', () => {
    expect(receive(level(3), 4, []).level).toEqual(level(7));
  });

  it('a receipt offsets the backorder first', () => {
    expect(receive(level(0, 0, 5), 3, []).level).toEqual(level(0, 0, 2));
    expect(receive(level(0, 0, 5), 8, []).level).toEqual(level(3));
  });

  it('a consumption beyond the stock becomes a backorder', () => {
    expect(consume(level(10), 4)).toEqual(level(6));
    expect(consume(level(10), 15)).toEqual(level(0, 0, 5));
  });

  it('a consumption takes no reserved pieces', () => {
    expect(consume(level(10, 8), 5)).toEqual(level(8, 8, 3));
  });
});

describe('reservations', () => {
  it('a reservation allocates available pieces and backorders the rest', () => {
    expect(reserve(level(10, 4), 5)).toEqual({ level: level(10, 9), allocated: 5 });
    expect(reserve(level(10, 4), 9)).toEqual({ level: level(10, 10, 3), allocated: 6 });
  });

  it('received pieces go to backordered consumption first, then to waiting jobs by age', () => {
    const waiting = [
      { id: '1', missing: 2 },
      { id: '2', missing: 4 },
    ];
    const { level: after, allocations } = receive(level(5, 5, 7), 5, waiting);
    expect(allocations).toEqual([
      { reservationId: '1', quantity: 2 },
      { reservationId: '2', quantity: 2 },
    ]);
    expect(after).toEqual(level(9, 9, 2));
  });

  it('released pieces are allocated to waiting jobs', () => {
    const { level: after, allocations } = release(level(6, 6, 4), { quantity: 5, allocated: 5 }, [
      { id: '9', missing: 4 },
    ]);
    expect(allocations).toEqual([{ reservationId: '9', quantity: 4 }]);
    expect(after).toEqual(level(6, 5));
  });

  it('a consumption takes allocated pieces, and missing ones stay in the backorder', () => {
    expect(consumeReserved(level(6, 6, 2), { quantity: 5, allocated: 3 })).toEqual(level(3, 3, 2));
  });
});

describe('alerts', () => {
  it.each([
    [level(0, 0, 1), 'back_order'],
    [level(4, 4, 1), 'back_order'],
    [level(0), 'out_of_stock'],
    [level(4, 4), 'out_of_stock'],
    [level(5), 'low_stock'],
    [level(9, 4), 'low_stock'],
    [level(6), null],
  ])('the stock %j with a minimum of 5 has the alert %s', (stock, alert) => {
    expect(alertUid(stock, 5)).toBe(alert);
  });

  it('a stock without a minimum has no low_stock alert', () => {
    expect(alertUid(level(1), 0)).toBeNull();
  });
});

describe('reordering', () => {
  const limits = (quantityOrdered: number) => ({ minStock: 10, maxStock: 50, quantityOrdered });
  it.each([
    ['above the minimum: nothing', level(11), 0, 0],
    ['at the minimum: up to the maximum', level(10), 0, 40],
    ['reserved pieces do not count', level(30, 20), 0, 40],
    ['the backorder is bought too', level(0, 0, 5), 0, 55],
    ['the quantity on order counts', level(10), 40, 0],
    ['minus the quantity on order', level(2), 5, 43],
  ])('%s', (_, stock, ordered, expected) => {
    expect(reorderQuantity(stock, limits(ordered))).toBe(expected);
  });
});

describe('any sequence of movements', () => {
  type Held = { id: string; quantity: number; allocated: number };
  const step = fc.record({
    kind: fc.constantFrom('add', 'consume', 'reserve', 'printed', 'release'),
    quantity: fc.integer({ min: 1, max: 30 }),
    pick: fc.nat(100),
  });

  it('keeps the sum of pieces, allocates no piece twice, and has no backorder while stock is available', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let now = EMPTY_LEVEL;
        let held: Held[] = [];
        let [arrived, wanted] = [0, 0];
        let serial = 0;
        const waiting = () =>
          held
            .filter(({ quantity, allocated }) => allocated < quantity)
            .map(({ id, quantity, allocated }) => ({ id, missing: quantity - allocated }));
        const give = (allocations: readonly { reservationId: string; quantity: number }[]) => {
          for (const { reservationId, quantity } of allocations) {
            held = held.map((one) =>
              one.id === reservationId ? { ...one, allocated: one.allocated + quantity } : one,
            );
          }
        };
        for (const { kind, quantity, pick } of steps) {
          const chosen = held[pick % Math.max(1, held.length)];
          if (kind === 'add') {
            const change = receive(now, quantity, waiting());
            now = change.level;
            give(change.allocations);
            arrived += quantity;
          } else if (kind === 'consume') {
            now = consume(now, quantity);
            wanted += quantity;
          } else if (kind === 'reserve') {
            const { level: after, allocated } = reserve(now, quantity);
            now = after;
            serial += 1;
            held.push({ id: String(serial), quantity, allocated });
          } else if (chosen !== undefined) {
            held = held.filter(({ id }) => id !== chosen.id);
            if (kind === 'printed') {
              now = consumeReserved(now, chosen);
              wanted += chosen.quantity;
            } else {
              const change = release(now, chosen, waiting());
              now = change.level;
              give(change.allocations);
            }
          }
          const lacking = waiting().reduce((sum, { missing }) => sum + missing, 0);
          expect(now.reserved).toBe(held.reduce((sum, { allocated }) => sum + allocated, 0));
          // Stock = received - consumed, and consumed = demand - backordered consumption.
          expect(now.quantity).toBe(arrived - (wanted - (now.backorder - lacking)));
          expect(Math.min(now.reserved, now.backorder, available(now))).toBeGreaterThanOrEqual(0);
          expect(now.backorder === 0 || available(now) === 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
