import { shipmentParameters, withoutEmoji } from '../../../src/carriers/easypost/parameters';
import { CHICAGO } from '../consignments/sample-addresses';
import { consignmentTo } from '../consignments/sample-consignments';

/** The tax ids of a shipment at EasyPost. Carriers take some of their types; the others are part of the declaration. */

const taxIdsAt = (carrier: string | undefined, country: string, taxIds: object) => {
  const consignment = { ...consignmentTo(CHICAGO), receiver: { ...CHICAGO, country, taxIds } };
  const { tax_identifiers, customs_info } = shipmentParameters(consignment, consignment.packages[0]!, { carrier });
  const identifiers = tax_identifiers
    .filter(({ entity }) => entity === 'RECEIVER')
    .map(({ tax_id, tax_id_type, issuing_country }) => [tax_id, tax_id_type, issuing_country]);
  const declared = customs_info?.declaration?.split('; ').filter((text) => text.startsWith('Receiver'));
  return { identifiers, declared: declared ?? [] };
};

const BUSINESS = { federalTaxId: '11.222.333/0001-81', stateTaxId: '110.042.490.114', registrationState: 'SP' };

test.each([
  ['dhlexpress', 'BR', { federalTaxId: '529.982.247-25' }, [['529.982.247-25', 'CNP', 'BR']], []],
  ['usps', 'BR', { federalTaxId: '529.982.247-25' }, [], ['Receiver: CPF 529.982.247-25']],
  ['dhlexpress', 'MX', { federalTaxId: 'XAXX010101000' }, [['XAXX010101000', 'FED', 'MX']], []],
  [undefined, 'CH', { vatNumber: 'CHE-116.281.710' }, [['CHE-116.281.710', 'VAT', 'CH']], []],
  [
    'dhlexpress',
    'FR',
    { eoriNumber: 'FR123', iossNumber: 'IM1' },
    [
      ['FR123', 'EOR', 'FR'],
      ['IM1', 'SDT', 'FR'],
    ],
    [],
  ],
  [
    'fedex',
    'FR',
    { eoriNumber: 'FR123', iossNumber: 'IM1' },
    [
      ['FR123', 'EORI', 'FR'],
      ['IM1', 'IOSS', 'FR'],
    ],
    [],
  ],
  ['ups', 'KR', { pcccNumber: 'P123456789012' }, [], ['Receiver: PCCC P123456789012']],
  [
    'dhlexpress',
    'BR',
    BUSINESS,
    [
      ['11.222.333/0001-81', 'CNP', 'BR'],
      ['110.042.490.114', 'STA', 'BR'],
    ],
    ['Receiver: State of registration SP'],
  ],
  [
    'fedex',
    'BR',
    BUSINESS,
    [['110.042.490.114', 'STA', 'BR']],
    ['Receiver: CNPJ 11.222.333/0001-81', 'Receiver: State of registration SP'],
  ],
])('%s, a recipient in %s with %o', (carrier, country, taxIds, identifiers, declared) => {
  expect(taxIdsAt(carrier, country, taxIds)).toEqual({ identifiers, declared });
});

test.each([
  ['Anna \u{1F389} Maria', 'Anna Maria'],
  ['\u{1F469}\u{200D}\u{1F3A8}\u{1F3FD} Ann', 'Ann'],
  ['1\u{FE0F}\u{20E3} Main\u0007 Street \u{1F1E9}\u{1F1EA}', '1 Main Street'],
  ['Prints™ & Co  ©', 'Prints™ & Co  ©'],
  ['東京都 #8*', '東京都 #8*'],
  ['\u{1F389}', ''],
])('%j is %j for a gateway', (text, expected) => {
  expect(withoutEmoji(text)).toBe(expected);
});

/** An address that no carrier takes as it is. */
const LONG = {
  ...CHICAGO,
  firstName: 'Wilhelmina Alexandra',
  lastName: 'van den Heuvel-Oosterhout',
  company: 'International Association of Large Format Printers and Binders',
  addressLine1: '12345 West Martin Luther King Junior Boulevard',
  addressLine2: 'Building C, Apartment 1204',
  city: 'Llanfairpwllgwyngyllgogerychwyrndrobwll',
  phone: '+1 312 555 0100 ext. 12345678',
};

test.each([
  ['usps', 46, 46],
  ['ups', 35, 30],
  ['fedex', 35, 30],
  ['dhlexpress', 45, 45],
  [undefined, 35, 30],
])('an address for %s has lines of at most %i characters, and a city of %i', (carrier, line, city) => {
  const consignment = { ...consignmentTo(LONG), sender: LONG };
  const { to_address, from_address } = shipmentParameters(consignment, consignment.packages[0]!, { carrier });
  const { name, company, street1, street2, city: sent, phone } = to_address;
  expect(from_address).toEqual(to_address);
  for (const text of [name, street1, street2]) expect(text!.length).toBeLessThanOrEqual(line);
  expect(company!.length).toBeLessThanOrEqual(60);
  expect(sent!.length).toBeLessThanOrEqual(city);
  expect(phone!.length).toBeLessThanOrEqual(25);
  // Nothing of the street is lost where it fits on the lines.
  const street = `${street1} ${street2}`.replace(/,/g, '');
  expect(`${LONG.addressLine1} ${LONG.addressLine2}`.replace(/,/g, '').startsWith(street)).toBe(true);
  expect(street.endsWith('1204') || line === 35).toBe(true);
});
