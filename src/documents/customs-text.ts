import { addressLines } from '../consignments/domain/address-lines';
import { type ConsignmentItem, type Money, type Party, taxIdsOf } from '../consignments/domain/consignment';
import { formatMinor } from '../platform/domain/money';
import { printableText } from './fonts';

/** Formats an amount: `1250.00 EUR`. */
export const amount = ({ minor, currency }: Money) => formatMinor(minor, currency);

/** Formats a weight for customs forms, in kilograms with three decimals. */
export const kilograms = (grams: number) => `${(Math.ceil(grams) / 1000).toFixed(3)} kg`;

/** Returns the tax ids of a party, one line each. */
export const taxIdLines = (party: Party): string[] => taxIdsOf(party).map(({ name, value }) => `${name} ${value}`);

/** Returns the lines of a party that customs requires: address with country, contact data, tax ids. */
export function partyLines(party: Party): string[] {
  return [
    ...addressLines(party)
      .map(printableText)
      .filter((line) => line !== ''),
    ...(party.phone ? [`Tel. ${party.phone}`] : []),
    ...(party.email ? [party.email] : []),
    ...taxIdLines(party),
  ];
}

/** Returns the weight of all units of an item, in grams. */
export const itemWeight = ({ unitWeightGrams, quantity }: ConsignmentItem) => unitWeightGrams * quantity;
