import type { MethodQuote } from '../../../../src/consignments/domain/consignment';
import { chooseMethod } from '../../../../src/consignments/domain/method-choice';

const quote = (
  methodUid: string,
  carrierName: string,
  minor: number,
  maxDays: number,
  paddingDays = 0,
): MethodQuote => ({
  carrierUid: carrierName.toLowerCase().replace(' ', '_'),
  carrierName,
  methodUid,
  methodName: methodUid,
  packagesMinor: [],
  price: { minor, currency: 'EUR' },
  minDays: 1,
  maxDays,
  paddingDays,
  serviceType: 'standard',
  tracked: true,
});
const quotes = [
  quote('post_parcel', 'Corvid Post', 700, 4),
  quote('tern_ground', 'Tern Parcel', 500, 5),
  quote('tern_next_day', 'Tern Parcel', 1_500, 1),
  quote('merlin_next_day', 'Merlin Express', 1_200, 1),
  quote('merlin_padded', 'Merlin Express', 900, 1, 3),
];
const chosen = (choice?: string | null) => {
  const result = chooseMethod(quotes, choice);
  return result.ok ? result.method.methodUid : result.reason;
};

test.each([
  ['no choice is standard', undefined, 'tern_ground'],
  ['null is standard', null, 'tern_ground'],
  ['blank is standard', ' ', 'tern_ground'],
  ['standard is the cheapest', 'standard', 'tern_ground'],
  ['normal is the cheapest', 'normal', 'tern_ground'],
  ['express is the fastest, the cheaper of equals', 'express', 'merlin_next_day'],
  ['a method uid', 'post_parcel', 'post_parcel'],
  ['a carrier’s cheapest', 'Merlin Express', 'merlin_padded'],
  ['a carrier by uid', 'corvid_post', 'post_parcel'],
  ['names in any case and spelling', 'CORVID-POST', 'post_parcel'],
  ['the cheapest of a list', 'merlin_next_day,post_parcel', 'post_parcel'],
  ['the cheapest of tiers and names', 'express, post_parcel', 'post_parcel'],
  ['unknown names are ignored', 'owl_mail, fed_ex_2_day,post_parcel', 'post_parcel'],
  ['empty entries are ignored', ',,express,', 'merlin_next_day'],
  ['only unknown names', 'owl_mail,fed_ex_2_day', 'choice_matches_none'],
])('%s', (_, choice, expected) => {
  expect(chosen(choice)).toBe(expected);
});

test('a choice without quotes reports that no method carries the consignment', () => {
  expect(chooseMethod([], 'express')).toEqual({ ok: false, reason: 'no_method_carries_it' });
});

test('the choice has whether its method is the cheapest', () => {
  expect(chooseMethod(quotes, 'standard')).toMatchObject({ isCheapest: true });
  expect(chooseMethod(quotes, 'express')).toMatchObject({ isCheapest: false });
});

test('the order of the quotes does not matter', () => {
  expect(chooseMethod([...quotes].reverse(), 'express')).toEqual(chooseMethod(quotes, 'express'));
});
