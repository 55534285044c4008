import { spawnSync } from 'node:child_process';
import { stateCode, stateOfPostCode } from '../../../src/platform/domain/address-rules';
import { isCountry } from '../../../src/platform/domain/countries';
import { normalAddress, normalParty } from '../../../src/platform/normal-address';
import { phoneFault } from '../../../src/platform/phone';
import { projectRoot } from '../../../src/platform/project-root';

test.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['UK', 'GB'],
  ['EL', 'GR'],
  ['USA', 'US'],
  ['Germany', 'DE'],
  ['The Netherlands', 'NL'],
  ['Great Britain', 'GB'],
  ['Scotland', 'GB'],
  [' fr\u200e', 'FR'],
  ['ＪＰ', 'JP'],
  ['Atlantis', 'Atlantis'],
])('the country %j is %s', (country, expected) => {
  expect(normalAddress({ country })).toEqual({ country: expected });
  expect(isCountry(expected)).toBe(expected !== 'Atlantis');
});

test.each([
  ['DE', '030 901820', '+49 30 901820'],
  ['DE', '0049 30 901820', '+49 30 901820'],
  ['DE', '4930901820', '+49 30 901820'],
  ['DE', '+49 (0)30 901820', '+49 30 901820'],
  ['DE', '+49 30 901820', '+49 30 901820'],
  ['DE', '+4930/901820', '+4930/901820'],
  ['FR', '4930901820', '+49 30 901820'],
  ['FR', '01 42 68 53 00', '+33 1 42 68 53 00'],
  ['US', '(415) 555-2671', '+1 415 555 2671'],
  ['US', '1-415-555-2671', '+1 415 555 2671'],
  ['US', '415.555.2671 x12', '+1 415 555 2671 ext. 12'],
  ['GB', '020 7946 0958', '+44 20 7946 0958'],
  ['IT', '391 234 5678', '+39 391 234 5678'],
  ['RU', '8 (495) 123-45-67', '+7 495 123 45 67'],
  ['JP', '０３-１２３４-５６７８', '+81 3 1234 5678'],
  ['AQ', '+49 30 901820', '+49 30 901820'],
])('a phone number in %s, %s, is %s', (country, phone, expected) => {
  expect(normalAddress({ country, phone })).toEqual({ country, phone: expected });
  expect(phoneFault(expected)).toBeNull();
});

test.each([
  ['call me', /^This is not a phone number\./],
  ['+999 123456789', /^The country code is missing or does not exist\./],
  ['+49 30', /^The number is too short for its country\./],
  ['+1 212 555 23681', /^The number is too long for its country\./],
])('what is no phone number, %s, stays as it is', (phone, fault) => {
  expect(normalAddress({ country: 'DE', phone })).toEqual({ country: 'DE', phone });
  expect(phoneFault(phone)).toMatch(fault);
});

test.each([
  ['DE', 'D-10119', '10119'],
  ['AT', 'A 1010', '1010'],
  ['GB', 'sw1a1aa', 'SW1A 1AA'],
  ['GB', 'SW1A  1AA', 'SW1A 1AA'],
  ['JE', 'je23ab', 'JE2 3AB'],
  ['CA', 'h3z2y7', 'H3Z 2Y7'],
  ['NL', '1012ab', '1012 AB'],
  ['SE', 'SE-11455', '114 55'],
  ['CZ', '11000', '110 00'],
  ['GR', '10431', '104 31'],
  ['IE', 'd02af30', 'D02 AF30'],
  ['PL', '00950', '00-950'],
  ['PT', '1000205', '1000-205'],
  ['BR', '01310100', '01310-100'],
  ['JP', '〒１０００００１', '100-0001'],
  ['US', '941031234', '94103-1234'],
  ['US', '94103 1234', '94103-1234'],
  ['LV', '1073', 'LV-1073'],
  ['FI', 'FI-00100', '00100'],
  ['FR', '75 001', '75001'],
  ['AX', 'ax-22100', '22100'],
  ['AR', 'c1070aam', 'C1070AAM'],
  ['DE', '1067', '1067'],
  ['HK', 'n/a', 'n/a'],
])('a post code in %s, %s, is %s', (country, postCode, expected) => {
  expect(normalAddress({ country, postCode, postcode: postCode })).toMatchObject({
    postCode: expected,
    postcode: expected,
  });
});

test.each([
  ['US', 'California', 'CA'],
  ['US', 'Armed Forces Europe', 'AE'],
  ['US', 'd.c.', 'DC'],
  ['CA', 'Québec', 'QC'],
  ['CA', 'Colombie-Britannique', 'BC'],
  ['AU', 'New South Wales', 'NSW'],
  ['IT', 'Milano', 'MI'],
  ['BR', 'Sao Paulo', 'SP'],
  ['ES', 'Madrid', 'Madrid'],
  ['US', 'XX', 'XX'],
])('a state in %s, %s, is %s', (country, state, expected) => {
  expect(normalAddress({ country, state })).toMatchObject({ state: expected });
});

test('the post code tells the state', () => {
  expect(stateOfPostCode('US', '94103')).toBe('CA');
  expect(stateOfPostCode('CA', 'H3Z 2Y7')).toBe('QC');
  expect([stateOfPostCode('US', 'x'), stateOfPostCode('DE', '10119')]).toEqual([undefined, undefined]);
  expect(stateCode('US', 'XX')).toBeUndefined();
});

test('texts lose line breaks, tabs, control characters, marks of direction and repeated spaces; letters stay', () => {
  const sent = {
    country: 'DE',
    firstName: '\u202bאדה\u202c',
    lastName: ' von\u00a0 der\tHeide ',
    addressLine1: 'Torstraße １\r\nHof\u0007 2',
    city: 'Mu\u0308nchen',
    companyName: 'نشر\u200cیه',
    email: ' ada@example.com ',
    isBusiness: true,
    taxIds: { vatNumber: ' DE1 ' },
  };
  expect(normalAddress(sent)).toEqual({
    ...sent,
    firstName: 'אדה',
    lastName: 'von der Heide',
    addressLine1: 'Torstraße 1 Hof 2',
    city: 'München',
    email: 'ada@example.com',
  });
});

test('a normal address stays as it is, and so does what is no address', () => {
  const sent = {
    country: 'GB',
    state: 'Greater London',
    postCode: 'SW1A 1AA',
    phone: '+44 20 7946 0958',
    city: 'London',
  };
  expect(normalAddress(normalAddress(sent))).toEqual(sent);
  for (const other of [undefined, null, 'text', [], 3]) {
    expect(normalAddress(other)).toBe(other);
    expect(normalParty(other)).toBe(other);
  }
});

test('the phone of a sender or receiver is understood by the country of its address', () => {
  const sent = { person: { lastName: ' Byron', phone: '030 901820' }, address: { country: 'Germany' } };
  expect(normalParty(sent)).toEqual({
    person: { lastName: 'Byron', phone: '+49 30 901820' },
    address: { country: 'DE' },
  });
});

test('the address data is that of the package', () => {
  const check = spawnSync(process.execPath, ['scripts/address-data.mjs', '--check'], { cwd: projectRoot() });
  expect(check).toMatchObject({ status: 0 });
});
