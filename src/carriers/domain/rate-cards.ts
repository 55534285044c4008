import { CORVID_POST } from './corvid-post';
import { MERLIN_EXPRESS } from './merlin-express';
import type { MethodRates, RateCard } from './rate-card';
import { TERN_PARCEL } from './tern-parcel';
import { isS10, isSscc } from './tracking-numbers';

export const RATE_CARDS: readonly RateCard[] = [CORVID_POST, TERN_PARCEL, MERLIN_EXPRESS];

/** Returns the rate card and method of a method uid, or undefined when no built-in carrier has the method. */
export function findMethod(methodUid: string): { card: RateCard; method: MethodRates } | undefined {
  for (const card of RATE_CARDS) {
    const method = card.methods.find(({ uid }) => uid === methodUid);
    if (method !== undefined) return { card, method };
  }
  return undefined;
}

/**
 * Returns the built-in carrier that a tracking number belongs to by its form: an S10 number to the postal carrier, an SSCC to
 * the courier with its GS1 company prefix. Returns undefined for any other number.
 */
export function carrierOfNumber(trackingNumber: string): RateCard | undefined {
  if (isS10(trackingNumber)) return RATE_CARDS.find(({ kind }) => kind === 'postal');
  if (!isSscc(trackingNumber)) return undefined;
  return RATE_CARDS.find((card) => card.kind === 'courier' && card.gs1Prefix === trackingNumber.slice(1, 8));
}
