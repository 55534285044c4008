import { shipmentParameters } from '../../../src/carriers/easypost/parameters';
import { CHICAGO } from '../consignments/sample-addresses';
import { consignmentTo } from '../consignments/sample-consignments';

/** The tax ids of a shipment at EasyPost. */

const taxIdsOf = (country: string, taxIds: object) => {
  const consignment = { ...consignmentTo(CHICAGO), receiver: { ...CHICAGO, country, taxIds } };
  return shipmentParameters(consignment, consignment.packages[0]!)
    .tax_identifiers.filter(({ entity }) => entity === 'RECEIVER')
    .map(({ tax_id, tax_id_type, issuing_country }) => [tax_id, tax_id_type, issuing_country]);
};

test.each([
  ['BR', { federalTaxId: '529.982.247-25' }, [['529.982.247-25', 'CNP', 'BR']]],
  ['MX', { federalTaxId: 'XAXX010101000' }, [['XAXX010101000', 'FED', 'MX']]],
  ['CH', { vatNumber: 'CHE-116.281.710' }, [['CHE-116.281.710', 'VAT', 'CH']]],
  [
    'BR',
    { federalTaxId: '11.222.333/0001-81', stateTaxId: '110.042.490.114', registrationState: 'SP' },
    [
      ['11.222.333/0001-81', 'CNP', 'BR'],
      ['110.042.490.114', 'STA', 'BR'],
    ],
  ],
])('a recipient in %s with %o', (country, taxIds, expected) => {
  expect(taxIdsOf(country, taxIds)).toEqual(expected);
});
