import type { Candidate } from './candidates';

/** Working days from the start of production to dispatch: of the fastest and of the slowest partner. */
export interface LeadDays {
  readonly min: number;
  readonly max: number;
}

/** Returns the lead time of a product at the subscribed partners that make all of its models, or null without such a partner. */
export function leadDaysOf(
  partners: readonly Pick<Candidate, 'capabilities' | 'subscribed'>[],
  modelUids: Iterable<string>,
): LeadDays | null {
  const uids = [...modelUids];
  const days = partners.flatMap(({ capabilities, subscribed }) => {
    const offers = uids.flatMap((uid) => capabilities.models[uid] ?? []);
    return subscribed && offers.length === uids.length ? [Math.max(...offers.map((offer) => offer.leadDays))] : [];
  });
  return days.length === 0 ? null : { min: Math.min(...days), max: Math.max(...days) };
}
