import type { MethodChoice, MethodQuote } from './consignment';

/** Names of tiers. Every other name is a method uid or a carrier. */
const TIERS: Readonly<Record<string, 'cheapest' | 'fastest'>> = {
  standard: 'cheapest',
  normal: 'cheapest',
  express: 'fastest',
};

export type ChosenMethod =
  | { readonly ok: true; readonly method: MethodQuote; readonly isCheapest: boolean }
  | { readonly ok: false; readonly reason: 'no_method_carries_it' | 'choice_matches_none' };

/** Sorts quotes by price, then by speed, then by uid, so that the order is always the same. */
export function byPrice(a: MethodQuote, b: MethodQuote): number {
  return a.price.minor - b.price.minor || days(a) - days(b) || compare(a.methodUid, b.methodUid);
}

const days = (quote: MethodQuote) => quote.maxDays + quote.paddingDays;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const bySpeed = (a: MethodQuote, b: MethodQuote) => days(a) - days(b) || a.minDays - b.minDays || byPrice(a, b);
/** Normalizes a name: `FedEx`, `fed_ex` and `fed-ex` are equal. */
const normalized = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Returns true when a name is a quote's method uid, carrier uid or carrier name, ignoring case and punctuation. */
export function hasName({ methodUid, carrierUid, carrierName }: MethodQuote, name: string): boolean {
  const wanted = normalized(name);
  return [methodUid, carrierUid, carrierName].some((candidate) => normalized(candidate) === wanted);
}

function matching(quotes: readonly MethodQuote[], name: string): MethodQuote[] {
  const tier = TIERS[name.toLowerCase()];
  if (tier !== undefined) return [...quotes].sort(tier === 'cheapest' ? byPrice : bySpeed).slice(0, 1);
  return quotes.filter((quote) => hasName(quote, name));
}

/**
 * Returns the method that a choice selects from quotes (docs/shipping.md). A choice is a method uid, a carrier's name or
 * uid, or a tier: `standard` (also `normal`) selects the cheapest method, `express` the fastest and, among equally fast
 * ones, the cheapest. In a comma-separated list the cheapest match wins and unknown names are ignored. The default is
 * `standard`.
 * @param quotes prices in one currency
 */
export function chooseMethod(quotes: readonly MethodQuote[], choice?: MethodChoice | null): ChosenMethod {
  if (quotes.length === 0) return { ok: false, reason: 'no_method_carries_it' };
  const names = (choice ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const candidates = (names.length === 0 ? ['standard'] : names).flatMap((name) => matching(quotes, name));
  const method = candidates.sort(byPrice)[0];
  if (method === undefined) return { ok: false, reason: 'choice_matches_none' };
  return { ok: true, method, isCheapest: [...quotes].sort(byPrice)[0]!.methodUid === method.methodUid };
}
