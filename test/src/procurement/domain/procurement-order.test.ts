import {
  attachInvoice,
  moveTo,
  PROCUREMENT_RULES,
  PROCUREMENT_STATUSES,
  type ProcurementProgress,
  type ProcurementStatus,
  receive,
} from '../../../../src/procurement/domain/procurement-order';

const order = (status: ProcurementStatus, received: [number, number] = [0, 0], invoices = 0): ProcurementProgress => ({
  status,
  invoices,
  lines: [
    { partnerSku: 'frame', quantity: 10, quantityReceived: received[0] },
    { partnerSku: 'tee', quantity: 5, quantityReceived: received[1] },
  ],
});

const ALLOWED: [ProcurementStatus, ProcurementStatus][] = [
  ['supplier', 'confirmed'],
  ['supplier', 'in-transit'],
  ['confirmed', 'in-transit'],
  ['in-transit', 'delivered'],
  ['delivered', 'verified'],
  ['verified', 'invoiced'],
];
const everyPair = PROCUREMENT_STATUSES.flatMap((from) => PROCUREMENT_STATUSES.map((to) => [from, to] as const));

it.each(everyPair)('a move from %s to %s follows the transition table', (from, to) => {
  // A repeated transition can correct what came with it.
  const allowed = from === to || ALLOWED.some(([a, b]) => a === from && b === to);
  const outcome = moveTo(order(from, [0, 0], 1), to);
  expect(outcome.ok).toBe(allowed);
  if (!outcome.ok) expect(outcome.reason).toContain(from);
});

it('the table has only forward transitions, and only invoiced is final', () => {
  for (const status of PROCUREMENT_STATUSES) {
    const { next } = PROCUREMENT_RULES[status];
    for (const to of next) {
      expect(PROCUREMENT_STATUSES.indexOf(to)).toBeGreaterThan(PROCUREMENT_STATUSES.indexOf(status));
    }
    expect(next.length === 0).toBe(status === 'invoiced');
  }
});

it('a procurement order needs an invoice before invoiced', () => {
  expect(moveTo(order('verified'), 'invoiced')).toEqual({
    ok: false,
    reason: expect.stringContaining('invoice'),
  });
});

describe('receipts', () => {
  it('can be partial, and the last piece moves the order to delivered', () => {
    const first = receive(order('in-transit'), [{ partnerSku: 'frame', quantity: 10 }]);
    expect(first).toMatchObject({ ok: true, progress: { status: 'in-transit' } });
    const last = receive(order('in-transit', [10, 0]), [
      { partnerSku: 'tee', quantity: 2 },
      { partnerSku: 'tee', quantity: 3 },
    ]);
    expect(last).toMatchObject({
      ok: true,
      progress: { status: 'delivered', lines: [{ quantityReceived: 10 }, { quantityReceived: 5 }] },
    });
  });

  it('are refused beyond the outstanding pieces, summed over lines of one SKU', () => {
    const split = [
      { partnerSku: 'tee', quantity: 3 },
      { partnerSku: 'tee', quantity: 3 },
    ];
    expect(receive(order('in-transit'), split)).toEqual({
      ok: false,
      reason: expect.stringContaining('tee'),
    });
  });

  it('are refused for SKUs that are not on the order', () => {
    expect(receive(order('in-transit'), [{ partnerSku: 'mug', quantity: 1 }])).toEqual({
      ok: false,
      reason: 'mug is not on this order.',
    });
  });

  it.each(['supplier', 'confirmed', 'verified', 'invoiced'] as const)('are refused in status %s', (status) => {
    expect(receive(order(status), [{ partnerSku: 'tee', quantity: 1 }]).ok).toBe(false);
  });
});

it.each([
  ['supplier', false],
  ['confirmed', true],
  ['in-transit', true],
  ['delivered', true],
  ['verified', true],
  ['invoiced', false],
] as const)('invoices in status %s are accepted: %s', (status, taken) => {
  expect(attachInvoice(order(status)).ok).toBe(taken);
});
