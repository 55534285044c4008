import type { TaxCategory } from '../../../../src/catalog/domain/product';
import { missingRetailPrices } from '../../../../src/consignments/domain/customs';
import { REFERENCE_TAX_RATES } from '../../../../src/orders/domain/reference-tax-rates';
import { rateIn, shippingRate, vatNumberState, vatOf } from '../../../../src/orders/domain/vat';
import { EU_MEMBERS } from '../../../../src/platform/domain/countries';

const order = (country: string, more: { postCode?: string; isBusiness?: boolean; federalTaxId?: string } = {}) => ({
  taxRates: REFERENCE_TAX_RATES,
  vatCheck: null,
  shippingAddress: { country, ...more },
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
  ['a business of the state of delivery', 'FR', { federalTaxId: 'FR 40303265045' }, 'reverse_charge'],
  ['a business of a third state', 'FR', { federalTaxId: 'IT00743110157' }, 'reverse_charge'],
  ['a Greek business', 'GR', { federalTaxId: 'EL094259216' }, 'reverse_charge'],
  ['a business in Monaco', 'MC', { federalTaxId: 'FR40303265045' }, 'reverse_charge'],
  ['a business of the state of production', 'FR', { federalTaxId: 'DE136695976' }, 'taxed'],
  ['goods that stay in the state of production', 'DE', { federalTaxId: 'FR40303265045' }, 'taxed'],
  ['a number with wrong check digits', 'FR', { federalTaxId: 'FR40303265046' }, 'taxed'],
  ['a number without its prefix', 'FR', { federalTaxId: '40303265045' }, 'taxed'],
  ['a number of another country', 'FR', { federalTaxId: 'GB980780684' }, 'taxed'],
  ['no number', 'FR', {}, 'taxed'],
  ['a business in Northern Ireland', 'GB', { postCode: 'BT1 5GS', federalTaxId: 'FR40303265045' }, 'taxed'],
  ['an export', 'CH', { federalTaxId: 'FR40303265045' }, 'export'],
  ['an export to a part of a member state', 'FR', { postCode: '97400', federalTaxId: 'FR40303265045' }, 'export'],
] as const)('%s', (_, country, more, treatment) => {
  const vat = vatOf(order(country, { isBusiness: true, ...more }), { country: 'DE' });
  expect(vat.treatment).toBe(treatment);
  expect(vat.rateOf('standard')).toBe(treatment === 'taxed' ? rateIn(REFERENCE_TAX_RATES, country) : '0');
});

test('goods from outside the EU to a business in it are an export', () => {
  const { treatment } = vatOf(order('FR', { isBusiness: true, federalTaxId: 'FR40303265045' }), { country: 'US' });
  expect(treatment).toBe('export');
});

test('a recipient who is no business pays VAT', () => {
  const { treatment } = vatOf(order('FR', { federalTaxId: 'FR40303265045' }), { country: 'DE' });
  expect(treatment).toBe('taxed');
});

const NUMBERS =
  'ATU13585627 BE0428759497 BG175074752 CY10259033P CZ25123891 DE136695976 DK13585628 EE100931558 EL094259216 ESB58378431 ' +
  'FI20774740 FR40303265045 HR33392005961 HU12892312 IE6433435F IT00743110157 LT119511515 LU15027442 LV40003521600 ' +
  'MT11679112 NL004495445B01 PL8567346215 PT501964843 RO18547290 SE123456789701 SI50223054 SK2022749619';

test('each member of the EU has VAT numbers with check digits', () => {
  const numbers = NUMBERS.split(' ');
  expect(numbers.map(vatNumberState).sort()).toEqual([...EU_MEMBERS].sort());
  const wrong = numbers.map((number) => number.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)));
  // The last digits of a Dutch number count the branches.
  expect(wrong.map(vatNumberState).filter((state) => state !== null)).toEqual(['NL']);
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
