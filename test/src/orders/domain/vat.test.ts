import type { TaxCategory } from '../../../../src/catalog/domain/product';
import { missingRetailPrices } from '../../../../src/consignments/domain/customs';
import { REFERENCE_TAX_RATES } from '../../../../src/orders/domain/reference-tax-rates';
import { rateIn, shippingRate, vatNumberState, vatOf } from '../../../../src/orders/domain/vat';
import { EU_MEMBERS } from '../../../../src/platform/domain/countries';

const order = (country: string, more: { seller?: string; isBusiness?: boolean; federalTaxId?: string } = {}) => ({
  taxRates: REFERENCE_TAX_RATES,
  sellerCountry: more.seller ?? null,
  shippingAddress: { country, isBusiness: more.isBusiness, federalTaxId: more.federalTaxId },
});
const vatRate = (from: string, to: string, category?: TaxCategory) =>
  vatOf(order(to), { country: from }).rateOf(category);

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

test.each([
  ['GB', 'GB', 'books', '0'],
  ['GB', 'GB', 'standard', '0.20'],
  ['DE', 'DE', 'books', '0.07'],
  ['DE', 'IE', 'books', '0'],
  // Without a rate of its own, a category has the standard rate.
  ['DE', 'RO', 'books', '0.21'],
  ['DE', 'SE', 'books', '0.06'],
  ['DE', 'SE', 'zero', '0'],
  ['DE', 'GB', 'books', '0'],
] as const)('from %s to %s, goods of the category %s have the rate %s', (from, to, category, rate) => {
  expect(vatRate(from, to, category)).toBe(rate);
});

test('shipping has the highest rate of its goods', () => {
  expect(shippingRate(['0.07', '0.19', '0'])).toBe('0.19');
  expect(shippingRate(['0'])).toBe('0');
  expect(shippingRate([])).toBe('0');
});

test.each([
  [
    'a business in another state than the seller',
    'FR',
    { seller: 'DE', federalTaxId: 'FR 40303265045' },
    'reverse_charge',
  ],
  ['a Greek business', 'GR', { seller: 'DE', federalTaxId: 'EL123456789' }, 'reverse_charge'],
  [
    'a client without a billing entity: the country of production counts',
    'FR',
    { federalTaxId: 'FR40303265045' },
    'reverse_charge',
  ],
  ['a business in the state of the seller', 'FR', { seller: 'FR', federalTaxId: 'FR40303265045' }, 'taxed'],
  ['a number that is not valid', 'FR', { seller: 'DE', federalTaxId: 'FR123' }, 'taxed'],
  ['a number of another country', 'FR', { seller: 'DE', federalTaxId: 'GB123456789' }, 'taxed'],
  ['no number', 'FR', { seller: 'DE' }, 'taxed'],
  ['a seller outside the EU', 'FR', { seller: 'US', federalTaxId: 'FR40303265045' }, 'taxed'],
  ['an export', 'CH', { seller: 'DE', federalTaxId: 'FR40303265045' }, 'export'],
] as const)('%s', (_, country, more, treatment) => {
  const vat = vatOf(order(country, { isBusiness: true, ...more }), { country: 'DE' });
  expect(vat.treatment).toBe(treatment);
  expect(vat.rateOf('standard')).toBe(treatment === 'taxed' ? rateIn(REFERENCE_TAX_RATES, country) : '0');
});

test('a recipient who is no business pays VAT', () => {
  const { treatment } = vatOf(order('FR', { seller: 'DE', federalTaxId: 'FR40303265045' }), { country: 'DE' });
  expect(treatment).toBe('taxed');
  expect(vatNumberState('fr-40.303 265 045')).toBe('FR');
});

test('every member of the EU has a VAT rate', () => {
  for (const country of EU_MEMBERS) expect(Number(vatRate('DE', country))).toBeGreaterThan(0.1);
});

test('missing retail prices are named by field, and zero is a price', () => {
  const items = [
    { position: 0, retailPriceInclVat: 0 },
    // The item before it is cancelled.
    { position: 2, retailPriceInclVat: null },
  ];
  expect(missingRetailPrices({ items })).toMatchObject({
    refusalReasonCode: 'missing_retail_prices',
    refusalReasonDetails: {
      missing: ['retailCurrency', 'retailShippingPriceInclVat', 'items[2].retailPriceInclVat'],
    },
  });
  expect(
    missingRetailPrices({ retailCurrency: 'USD', retailShippingPriceInclVat: 0, items: items.slice(0, 1) }),
  ).toBeNull();
});
