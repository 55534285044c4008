import fc from 'fast-check';
import { buildReceipt, type Receipt } from '../../../../src/orders/domain/receipt';
import { refundedParts } from '../../../../src/orders/preparation/receipts';

/** Partial refunds add up to the charge, to the minor unit, in any partition. */

const invoice = (referenceId: string, amount: number, unit: number, saved: number): Receipt =>
  buildReceipt({
    currency: 'EUR',
    vatRate: '0.19',
    products: [
      {
        referenceId,
        title: referenceId,
        price: { quantity: amount, baseMinor: unit + saved, lineMinor: amount * unit },
      },
    ],
    shipments: [{ referenceId: 'parcel', title: 'Parcel', priceMinor: 389 }],
  });

const lines = fc.record({
  amount: fc.integer({ min: 1, max: 40 }),
  unit: fc.integer({ min: 1, max: 10_000 }),
  saved: fc.nat(500),
});

test('successive partial refunds add up to the invoice; shipping is refunded with the last units', () => {
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 9 })), { maxLength: 30 }),
      (bought, steps) => {
        const invoices = bought.map(({ amount, unit, saved }, index) =>
          invoice(`item-${index}`, amount, unit, saved),
        );
        const refunds: Receipt[] = [];
        const refund = (index: number, quantity: number) =>
          refunds.push(
            ...refundedParts(invoices, refunds, new Map([[`item-${index % bought.length}`, quantity]])),
          );
        for (const [index, quantity] of steps) refund(index, quantity);
        // Refund the rest, and more than was charged.
        for (const index of bought.keys()) refund(index, 100);

        const total = (receipts: readonly Receipt[], name: keyof Receipt['totals']) =>
          receipts.reduce((sum, { totals }) => sum + totals[name], 0);
        for (const name of Object.keys(invoices[0]!.totals) as (keyof Receipt['totals'])[])
          expect([name, total(invoices, name) + total(refunds, name)]).toEqual([name, 0]);
        for (const { totals } of refunds) expect(totals.totalInclVat).toBeLessThanOrEqual(0);
      },
    ),
  );
});

test('shipping is not refunded while units of the parcel are left', () => {
  const one = invoice('item', 3, 593, 0);
  const [first] = refundedParts([one], [], new Map([['item', 2]]));
  expect(first!.totals).toMatchObject({ shippingPrice: 0, productsPrice: -1186, productsPriceVat: -225 });
  const [last] = refundedParts([one], [first!], new Map([['item', 1]]));
  expect(last!.totals).toMatchObject({ shippingPrice: -389, productsPrice: -593, productsPriceVat: -113 });
  expect(refundedParts([one], [first!, last!], new Map([['item', 1]]))).toEqual([]);
});
