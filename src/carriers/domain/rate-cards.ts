import { CORVID_POST } from './corvid-post';
import { MERLIN_EXPRESS } from './merlin-express';
import type { MethodRates, RateCard } from './rate-card';
import { TERN_PARCEL } from './tern-parcel';

/** Rate cards of the built-in carriers. */
export const RATE_CARDS: readonly RateCard[] = [CORVID_POST, TERN_PARCEL, MERLIN_EXPRESS];

/** Returns the rate card and method of a method uid, or undefined when no built-in carrier has the method. */
export function findMethod(methodUid: string): { card: RateCard; method: MethodRates } | undefined {
  for (const card of RATE_CARDS) {
    const method = card.methods.find(({ uid }) => uid === methodUid);
    if (method !== undefined) return { card, method };
  }
  return undefined;
}
