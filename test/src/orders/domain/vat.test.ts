import { isCrossBorder, missingRetailPrices } from '../../../../src/consignments/domain/cross-border';
import { vatRate } from '../../../../src/orders/domain/vat';
import { EU_MEMBERS } from '../../../../src/platform/domain/countries';

test.each([
  ['DE', 'DE', false],
  ['DE', 'FR', false],
  ['DE', 'MC', false],
  ['DE', 'GB', true],
  ['DE', 'CH', true],
  ['DE', 'NO', true],
  ['DE', 'GL', true],
  ['CH', 'LI', false],
  ['US', 'PR', false],
  ['US', 'CA', true],
  ['GB', 'JE', false],
])('from %s to %s is cross-border: %s', (from, to, expected) => {
  expect(isCrossBorder(from, to)).toBe(expected);
});

test.each([
  ['DE', 'DE', '0.19'],
  ['DE', 'SE', '0.25'],
  ['DE', 'CH', '0'],
  ['CH', 'CH', '0.081'],
  ['US', 'DE', '0'],
  ['US', 'US', '0'],
  ['GB', 'GB', '0.20'],
])('goods from %s to %s have a VAT rate of %s', (from, to, rate) => {
  expect(vatRate(from, to)).toBe(rate);
});

test('every member of the EU has a VAT rate', () => {
  for (const country of EU_MEMBERS) expect(Number(vatRate('DE', country))).toBeGreaterThan(0.1);
});

test('missing retail prices are named by field, and zero is a price', () => {
  const items = [
    { itemReferenceId: 'a', retailPriceInclVat: 0 },
    { itemReferenceId: 'b', retailPriceInclVat: null },
  ];
  expect(missingRetailPrices({ items })).toMatchObject({
    refusalReasonCode: 'missing_retail_prices',
    refusalReasonDetails: {
      missing: ['retailCurrency', 'retailShippingPriceInclVat', 'items[1].retailPriceInclVat'],
    },
  });
  expect(
    missingRetailPrices({ retailCurrency: 'USD', retailShippingPriceInclVat: 0, items: items.slice(0, 1) }),
  ).toBeNull();
});
