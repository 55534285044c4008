import fc from 'fast-check';
import { buildReceipt, NO_BILLING_ENTITY, receiptView, refundReceipt } from '../../../../src/orders/domain/receipt';
import { REFERENCE_TAX_RATES } from '../../../../src/orders/domain/reference-tax-rates';
import { toMinor } from '../../../../src/platform/domain/money';

const context = {
  id: 'r1',
  orderId: 'o1',
  clientId: 'c1',
  type: 'order',
  receiptNumber: '100001',
  transactionType: 'purchase',
  billingEntity: NO_BILLING_ENTITY,
  createdAt: '2026-01-02T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
};

test('a receipt has quantity discounts, VAT by line and totals', () => {
  const receipt = buildReceipt({
    currency: 'EUR',
    tax: { treatment: 'taxed', country: 'DE' },
    products: [
      { referenceId: 'i1', title: 'Poster', vatRate: '0.19', price: { quantity: 10, baseMinor: 790, lineMinor: 6400 } },
    ],
    shipments: [{ referenceId: 's1', title: 'Parcel', vatRate: '0.19', priceMinor: 499 }],
  });
  expect(receiptView(receipt, context)).toMatchObject({
    receiptNumber: '100001',
    items: [
      {
        type: 'product',
        priceBase: 7.9,
        amount: 10,
        priceInitial: 79,
        discount: 15,
        price: 64,
        vat: 12.16,
        priceInclVat: 76.16,
      },
      {
        type: 'shipment',
        priceBase: 4.99,
        amount: 1,
        priceInitial: 4.99,
        discount: 0,
        price: 4.99,
        vat: 0.95,
        priceInclVat: 5.94,
      },
    ],
    productsPriceInitial: 79,
    productsPriceDiscount: 15,
    productsPrice: 64,
    productsPriceVat: 12.16,
    productsPriceInclVat: 76.16,
    shippingPrice: 4.99,
    shippingPriceVat: 0.95,
    shippingPriceInclVat: 5.94,
    discount: 15,
    discountVat: 2.85,
    discountInclVat: 17.85,
    totalInitial: 83.99,
    total: 68.99,
    totalVat: 13.11,
    totalInclVat: 82.1,
    isCalculated: true,
  });
});

/** Each line has a rate of its own. */
const vatRate = fc.constantFrom('0', ...Object.values(REFERENCE_TAX_RATES).flatMap((rates) => Object.values(rates)));

const receipts = fc
  .record({
    currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'USD'),
    products: fc.array(
      fc.record({
        referenceId: fc.string(),
        title: fc.string(),
        vatRate,
        price: fc
          .record({
            quantity: fc.integer({ min: 1, max: 5000 }),
            unit: fc.nat(100_000),
            saved: fc.nat(100_000),
          })
          .map(({ quantity, unit, saved }) => ({
            quantity,
            baseMinor: unit + saved,
            lineMinor: quantity * unit,
          })),
      }),
      { minLength: 1, maxLength: 20 },
    ),
    shipments: fc.array(
      fc.record({ referenceId: fc.string(), title: fc.string(), vatRate, priceMinor: fc.nat(1_000_000) }),
      {
        maxLength: 4,
      },
    ),
  })
  .map((input) => ({ ...input, currency: input.currency, tax: { treatment: 'taxed' as const, country: 'DE' } }));

test('every total of a receipt adds up to the minor unit, also in the client’s view', () => {
  fc.assert(
    fc.property(receipts, fc.boolean(), (input, refunded) => {
      const bought = buildReceipt(input);
      const view = receiptView(refunded ? refundReceipt(bought) : bought, context);
      const minor = (amount: number) => toMinor(amount, input.currency);
      const sum = (field: 'priceInitial' | 'discount' | 'price' | 'vat' | 'priceInclVat', type?: string) =>
        view.items
          .filter((item) => type === undefined || item.type === type)
          .reduce((total, item) => total + minor(item[field]), 0);

      for (const item of view.items) {
        expect(minor(item.priceBase) * item.amount).toBe(minor(item.priceInitial));
        expect(minor(item.priceInitial) - minor(item.discount)).toBe(minor(item.price));
        expect(minor(item.price) + minor(item.vat)).toBe(minor(item.priceInclVat));
      }
      for (const [group, type] of [
        ['products', 'product'],
        ['shipping', 'shipment'],
      ] as const) {
        expect(minor(view[`${group}PriceInitial`])).toBe(sum('priceInitial', type));
        expect(minor(view[`${group}PriceDiscount`])).toBe(sum('discount', type));
        expect(minor(view[`${group}Price`])).toBe(sum('price', type));
        expect(minor(view[`${group}PriceVat`])).toBe(sum('vat', type));
        expect(minor(view[`${group}PriceInclVat`])).toBe(sum('priceInclVat', type));
      }
      expect(minor(view.totalInitial) - minor(view.discount)).toBe(minor(view.total));
      expect(minor(view.productsPrice) + minor(view.shippingPrice)).toBe(minor(view.total));
      expect(minor(view.productsPriceVat) + minor(view.shippingPriceVat)).toBe(minor(view.totalVat));
      expect(minor(view.total) + minor(view.totalVat)).toBe(minor(view.totalInclVat));
      expect(minor(view.discount) + minor(view.discountVat)).toBe(minor(view.discountInclVat));
      expect(sum('priceInclVat')).toBe(minor(view.totalInclVat));
    }),
  );
});

test('a refund is exactly the negative of the charge', () => {
  fc.assert(
    fc.property(receipts, (input) => {
      const bought = buildReceipt(input);
      const refund = refundReceipt(bought);
      for (const [name, minor] of Object.entries(bought.totals)) {
        expect(minor + refund.totals[name as keyof typeof refund.totals]).toBe(0);
      }
    }),
  );
});
