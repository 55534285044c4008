import { routeOrder } from '../../partners/domain/routing';
import type { RoutingDecision } from '../../partners/domain/routing-decision';
import { stockNeeds } from '../../partners/domain/routing-weights';
import type { Candidate, CandidateReader } from '../../partners/routing-rows';
import type { RunItem, RunOrder } from './run-order';

type RoutedItem = Pick<RunItem, 'id' | 'product' | 'quantity'>;

/** Returns the partners with their stock of the parts that the items need. */
export async function candidatesFor(read: CandidateReader, items: readonly RoutedItem[]): Promise<Candidate[]> {
  return await read(items.flatMap(({ product, quantity }) => [...stockNeeds(product, quantity).keys()]));
}

/** Routes items of an order, or some of their units, to partners that can make and ship them. */
export function routeItems(
  order: RunOrder,
  items: readonly RoutedItem[],
  partners: readonly Candidate[],
  at: Date,
  excludedPartnerIds: readonly string[] = [],
): RoutingDecision {
  return routeOrder({
    items: items.map(({ id, product, quantity }) => ({ itemId: id, product, quantity })),
    destinationCountry: order.shippingAddress.country,
    partners,
    at,
    rates: order.rates,
    excludedPartnerIds,
  });
}
