import type { RoutedPlan } from './routing-decision';

const euros = (cents: number) => (cents / 100).toFixed(2);
const PARTS = ['production', 'postage', 'time', 'parcels', 'borders', 'stock'] as const;

/** Returns who makes a plan: `prints-berlin`, or `prints-berlin and prints-ohio (3 print orders)`. */
function makersOf({ printOrders }: RoutedPlan): string {
  const uids = [...new Set(printOrders.map(({ partnerUid }) => partnerUid))];
  return `${uids.join(' and ')}${printOrders.length > uids.length ? ` (${printOrders.length} print orders)` : ''}`;
}

/**
 * Returns one line that says why a plan was chosen: what it costs, and what the next one would add, in euros.
 * @param plans the chosen one first
 * @param refusals why the order is refused with the chosen plan; empty when it is not
 * @param avoided why the order would be refused with a cheaper plan
 */
export function whyChosen(
  [chosen, next]: readonly [RoutedPlan, ...RoutedPlan[]],
  refusals: readonly string[],
  avoided: readonly string[] = [],
): string {
  if (refusals.length > 0) return `No partner is left with which the order is not refused: ${refusals.join('; ')}.`;
  const parcels = chosen.printOrders.reduce((sum, printOrder) => sum + printOrder.parcels, 0);
  const parts = [`${parcels} ${parcels === 1 ? 'parcel' : 'parcels'}`, `postage ${euros(chosen.cost.postage)}`];
  const line = `${makersOf(chosen)}: ${parts.join(', ')}, delivered by ${chosen.deliveryDate}`;
  const more = PARTS.map((part) => ({ part, cents: (next?.cost[part] ?? 0) - chosen.cost[part] }))
    .filter(({ cents }) => cents > 0)
    .map(({ part, cents }) => `${part} ${euros(cents)}`);
  const added = next === undefined ? 0 : next.cost.total - chosen.cost.total;
  const other =
    next === undefined
      ? 'no other plan'
      : `${makersOf(next)}: ${added === 0 ? 'the same cost' : `${euros(added)} more (${more.join(', ')})`}`;
  const but = avoided.length === 0 ? '' : ` Cheaper, but the order would be refused: ${avoided.join('; ')}.`;
  return `${line}; ${other}.${but}`;
}
