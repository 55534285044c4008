import { fallsUnderIoss } from '../../../../src/consignments/domain/customs';

const rates = { date: '2026-11-23', perEuro: { USD: '1.17' } };
const euros = (amount: number) => ({ minor: amount * 100, currency: 'EUR' });
const goods = { from: { country: 'US' }, to: { country: 'FR', postCode: '75003' }, values: [euros(50), euros(100)] };
const sale = { iossNumber: 'IM2760000742' as string | null, isBusiness: false, ...goods };

test.each([
  ['goods of 150 EUR to a private buyer', {}, true],
  ['goods of 150.01 EUR', { values: [euros(150.01)] }, false],
  ['goods of 175.50 USD', { values: [{ minor: 175_50, currency: 'USD' }] }, true],
  ['goods of 175.60 USD', { values: [{ minor: 175_60, currency: 'USD' }] }, false],
  ['a currency without an exchange rate', { values: [{ minor: 1, currency: 'XAU' }] }, false],
  ['a business', { isBusiness: true }, false],
  ['a client without a number', { iossNumber: null }, false],
  ['a number of another form', { iossNumber: 'IM276000074' }, false],
  ['goods from the EU', { from: { country: 'DE' } }, false],
  ['goods from a part of the EU outside its VAT area', { from: { country: 'ES', postcode: '35001' } }, true],
  ['goods to a part of the EU outside its VAT area', { to: { country: 'ES', postCode: '35001' } }, false],
  ['goods to Monaco', { to: { country: 'MC' } }, true],
  ['goods to Northern Ireland', { to: { country: 'GB', postCode: 'BT1 5GS' } }, false],
  ['goods to Switzerland', { to: { country: 'CH' } }, false],
])('%s', (_, change, expected) => {
  const { from, to, values, ...parties } = { ...sale, ...change };
  expect(fallsUnderIoss(parties, { from, to }, values, rates)).toBe(expected);
});
