import { addressFindings, addressStop, stoppingFindings } from '../../../../src/orders/planning/address-checks';

const address = {
  country: 'DE',
  firstName: 'Ada',
  lastName: 'Byron',
  addressLine1: 'Torstraße 1',
  city: 'Berlin',
  postCode: '10119',
  email: 'ada@example.com',
  phone: '+49 30 901820',
};
const found = (over: object) =>
  addressFindings({ ...address, ...over }).map(({ code, field, suggestion }) =>
    [code, field, suggestion].filter((part) => part !== null).join(' '),
  );

test.each<[over: object, findings: string[]]>([
  [{}, []],
  [{ postCode: '1011' }, ['post_code_form postCode']],
  [{ country: 'GB', postCode: 'SW1A 1AA' }, []],
  [{ country: 'GB', postCode: '10119' }, ['post_code_form postCode']],
  [{ country: 'HK', postCode: '' }, []],
  [{ country: 'IE', postCode: 'none' }, []],
  [{ country: 'US', postCode: '94103', state: 'CA' }, []],
  [{ country: 'US', postCode: '94103' }, ['state_missing state CA']],
  [{ country: 'US', postCode: '94103', state: 'XX' }, ['state_missing state CA']],
  [{ country: 'AU', postCode: '3000', state: '' }, ['state_missing state VIC']],
  [{ country: 'US', postCode: '941', state: 'CA' }, ['post_code_form postCode']],
  [{ country: 'ES', postCode: '28013' }, []],
  [{ addressLine1: 'Torstraße' }, ['no_house_number addressLine1']],
  [{ addressLine1: 'Torstraße', addressLine2: 'Haus 2' }, []],
  [{ country: 'ES', postCode: '28013', addressLine1: 'Calle Mayor s/n' }, []],
  [{ country: 'GB', postCode: 'SW1A 1AA', addressLine1: 'Rose Cottage' }, []],
  [{ phone: 'call me' }, ['phone_form phone']],
  [{ phone: undefined }, []],
  [{ city: 'ရန်ကုန်' }, ['unprintable_letters city']],
  [
    { addressLine2: '漢'.repeat(255), companyName: '字'.repeat(255), lastName: '漢'.repeat(100) },
    ['line_too_long companyName'],
  ],
  [{ addressLine1: `${'x'.repeat(250)} 1` }, []],
])('of an address with %j, the findings are %j', (over, findings) => {
  expect(found(over)).toEqual(findings);
});

const [error] = addressFindings({ ...address, postCode: '1' });
const [warning] = addressFindings({ ...address, phone: '1' });

test('errors hold and warnings warn, unless the client says otherwise; a refusal comes first', () => {
  expect(stoppingFindings([warning!], null)).toBeNull();
  expect(stoppingFindings([error!, warning!], null)).toEqual({ action: 'hold', findings: [error] });
  expect(stoppingFindings([error!], { errors: 'warn', warnings: 'hold' })).toBeNull();
  expect(stoppingFindings([error!, warning!], { errors: 'hold', warnings: 'refuse' })).toEqual({
    action: 'refuse',
    findings: [warning],
  });
});

test('an accepted address stops nothing, and what was found in another address does not count', () => {
  const order = {
    shippingAddress: { ...address, id: 'a', postCode: '1' },
    acceptedAddressId: null,
    addressChecks: null,
    addressFindings: null,
  };
  const message = 'postCode: No post code of Germany has this form. Correct it.';
  expect(addressStop(order as never)).toEqual({ outcome: 'parked', reason: 'address_check', message });
  expect(addressStop({ ...order, acceptedAddressId: 'a' } as never)).toBeNull();
  const stored = { addressId: 'b', findings: [error] };
  expect(
    addressStop({ ...order, shippingAddress: { ...address, id: 'a' }, addressFindings: stored } as never),
  ).toBeNull();
});
