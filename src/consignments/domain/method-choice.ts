import type { MethodChoice, MethodQuote } from './consignment';

/** Names by which a choice asks for a tier; everything else is a method uid or a carrier. */
const TIERS: Readonly<Record<string, 'cheapest' | 'fastest'>> = {
  standard: 'cheapest',
  normal: 'cheapest',
  express: 'fastest',
};

export type ChosenMethod =
  | { readonly ok: true; readonly method: MethodQuote; readonly isCheapest: boolean }
  | { readonly ok: false; readonly reason: 'no_method_carries_it' | 'choice_matches_none' };

/** Cheapest first; among equals the faster, then by uid, so that the same quotes always sort alike. */
export function byPrice(a: MethodQuote, b: MethodQuote): number {
  return a.price.minor - b.price.minor || days(a) - days(b) || compare(a.methodUid, b.methodUid);
}

const days = (quote: MethodQuote) => quote.maxDays + quote.paddingDays;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const bySpeed = (a: MethodQuote, b: MethodQuote) =>
  days(a) - days(b) || a.minDays - b.minDays || byPrice(a, b);
/** `FedEx`, `fed_ex` and `fed-ex` are one name. */
const folded = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a method, or its carrier, goes by a name. */
export function goesBy({ methodUid, carrierUid, carrierName }: MethodQuote, name: string): boolean {
  const wanted = folded(name);
  return [methodUid, carrierUid, carrierName].some((candidate) => folded(candidate) === wanted);
}

function matching(quotes: readonly MethodQuote[], name: string): MethodQuote[] {
  const tier = TIERS[name.toLowerCase()];
  if (tier !== undefined) return [...quotes].sort(tier === 'cheapest' ? byPrice : bySpeed).slice(0, 1);
  return quotes.filter((quote) => goesBy(quote, name));
}

/**
 * The method a choice stands for among those that can carry a consignment (interface "Orders", DESIGN "Shipping
 * tiers"): a method uid, a carrier's name or uid, or a tier: `standard` (also `normal`) is the cheapest,
 * `express` the fastest, the cheapest among equally fast ones. Of several separated by commas the cheapest
 * match wins and unknown names are passed over. No choice is `standard`.
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
