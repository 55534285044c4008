import type { Cost, RoutedPlan } from './routing-decision';

const euros = (cents: number) => (cents / 100).toFixed(2);
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const parcelsOf = ({ printOrders }: RoutedPlan) => printOrders.reduce((sum, { parcels }) => sum + parcels, 0);

/** Parts of a cost that a reason names when they are larger in the next plan. */
const PARTS = ['production', 'postage', 'time', 'parcels', 'borders', 'stock'] as const satisfies (keyof Cost)[];

/** Returns who makes what: `prints-berlin` or `prints-berlin and prints-ohio (2 print orders)`. */
function makersOf({ printOrders }: RoutedPlan): string {
  const uids = [...new Set(printOrders.map(({ partnerUid }) => partnerUid))];
  return printOrders.length > uids.length
    ? `${uids.join(' and ')} (${counted(printOrders.length, 'print order')})`
    : uids.join(' and ');
}

/**
 * Returns one line that says why a plan was chosen: what it costs, and what the next one would add, in euros.
 * @param plans the chosen one first
 * @param refusals why the order is refused with the chosen plan; empty when it is not
 * @param avoided why the order would be refused with a cheaper plan
 */
export function whyChosen(
  plans: readonly RoutedPlan[],
  refusals: readonly string[],
  avoided: readonly string[] = [],
): string {
  if (refusals.length > 0) return `No partner is left with which the order is not refused: ${refusals.join('; ')}.`;
  const [chosen, next] = plans as [RoutedPlan, RoutedPlan?];
  const parcels = counted(parcelsOf(chosen), 'parcel');
  const but = avoided.length === 0 ? '' : ` Cheaper, but the order would be refused: ${avoided.join('; ')}.`;
  const line = `${makersOf(chosen)}: ${parcels}, postage ${euros(chosen.cost.postage)}, delivered by ${chosen.deliveryDate}`;
  if (next === undefined) return `${line}; no other plan.${but}`;
  const more = PARTS.flatMap((part) => {
    const cents = next.cost[part] - chosen.cost[part];
    return cents > 0 ? [`${part} ${euros(cents)}`] : [];
  });
  const difference = next.cost.total - chosen.cost.total;
  const reason = difference === 0 ? 'the same cost' : `${euros(difference)} more (${more.join(', ')})`;
  return `${line}; ${makersOf(next)}: ${reason}.${but}`;
}
