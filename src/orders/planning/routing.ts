import type { Carriers } from '../../carriers/carriers';
import { chooseMethod } from '../../consignments/domain/method-choice';
import { choosePlan, keyOf, type Plan, rankPlans, routeOrder } from '../../partners/domain/routing';
import type {
  Passage,
  PassageOf,
  PlannedPrintOrder,
  RoutingDecision,
  RoutingRequest,
  RoutingWeights,
} from '../../partners/domain/routing-decision';
import { stockNeeds } from '../../partners/domain/routing-weights';
import type { Candidate, CandidateReader } from '../../partners/routing-rows';
import { convertMinor } from '../../platform/domain/money';
import { isCrossBorder } from '../../platform/domain/territories';
import { crossBorderRefusal } from './plan-refusals';
import type { RunItem, RunOrder } from './run-order';
import { consign, planWith, type QuotedPackages, quotePackages } from './shipment-plan';

/**
 * Routing chooses partners by what an order really costs: production, and the postage and the promised date of the method that
 * the order would choose, from each partner to the address, for the parcels that it would pack.
 *
 * 1. `candidatesFor` reads the partners with their stock and load.
 * 2. `rankPlans` (pure) ranks all plans by `Carriers.estimate`: rate cards, and gateways' rates of the last hour.
 * 3. Carriers are asked for the parcels of the three best plans at once. What a gateway does not answer in time counts as known.
 * 4. `choosePlan` (pure) takes the cheapest. Its print orders keep the quotes, so that quote, plan and price agree.
 */
export interface RoutingDeps {
  readonly candidates: CandidateReader;
  readonly carriers: Carriers;
  readonly routingWeights: RoutingWeights;
}

type RoutedItem = Pick<RunItem, 'id' | 'product' | 'quantity'>;

/** A print order at its partner, with its packages and every method that carries them. */
export interface RoutedPrintOrder extends PlannedPrintOrder, QuotedPackages {
  readonly partner: Candidate;
}

/** A decision with the print orders of its plan. None when an item has no partner. */
export interface RoutedOrder {
  readonly decision: RoutingDecision;
  readonly printOrders: readonly RoutedPrintOrder[];
}

/** Plans whose parcels carriers are asked for at once. */
const ASKED_AT_ONCE = 3;

/** Returns the partners with their stock of the parts that the items need. */
export async function candidatesFor(read: CandidateReader, items: readonly RoutedItem[]): Promise<Candidate[]> {
  return await read(items.flatMap(({ product, quantity }) => [...stockNeeds(product, quantity).keys()]));
}

interface RoutedItems {
  readonly order: RunOrder;
  /** Items of the order, or some of their units. */
  readonly items: readonly RoutedItem[];
  readonly partners: readonly Candidate[];
  readonly at: Date;
  readonly excludedPartnerIds?: readonly string[];
}

/**
 * Routes items to partners that can make and ship them.
 * @throws CarrierUnavailable when no carrier returns a method that the order accepts
 */
export async function routeItems(deps: Omit<RoutingDeps, 'candidates'>, routed: RoutedItems): Promise<RoutedOrder> {
  const { carriers } = deps;
  const request = requestOf(deps, routed);
  const ranking = rankPlans(request);
  if (!ranking.ok) return { decision: ranking, printOrders: [] };
  const answers = new Map<string, Promise<RoutedPrintOrder>>();
  const ask = (printOrder: PlannedPrintOrder): Promise<RoutedPrintOrder> => {
    const answer = answers.get(keyOf(printOrder)) ?? quotePrintOrder(carriers, routed, printOrder);
    answers.set(keyOf(printOrder), answer);
    return answer;
  };
  if (carriers.isEstimateComplete) {
    const { chosen, decision } = choosePlan(ranking, ranking.plans.slice(0, ASKED_AT_ONCE), request);
    return { decision, printOrders: await Promise.all(chosen.printOrders.map(ask)) };
  }
  for (let count = ASKED_AT_ONCE; ; count += ASKED_AT_ONCE) {
    const plans = ranking.plans.slice(0, count);
    const asked = plans.flatMap(({ printOrders }) => printOrders);
    const outcomes = await Promise.allSettled(asked.map(ask));
    const passages = new Map(
      outcomes.map((outcome, index) => {
        const printOrder = asked[index]!;
        if (outcome.status === 'fulfilled') return [keyOf(printOrder), passageWith(routed, printOrder, outcome.value)];
        // It has no method that the order accepts, as far as is known.
        return [keyOf(printOrder), { ...request.passageOf(printOrder), refusal: 'no_shipment_method' as const }];
      }),
    );
    const passageOf: PassageOf = (printOrder) => passages.get(keyOf(printOrder))!;
    const { chosen, isRefused, decision } = choosePlan(ranking, plans, { ...request, passageOf });
    const next = ranking.plans[count];
    if (isRefused && next !== undefined && isPossible(next, request)) continue;
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (isRefused && failed !== undefined) throw failed.reason;
    return { decision, printOrders: await Promise.all(chosen.printOrders.map(ask)) };
  }
}

const isPossible = ({ printOrders }: Plan, { passageOf }: RoutingRequest) =>
  printOrders.every((printOrder) => passageOf(printOrder).refusal === null);

/** Routes items by what is known without a request to a carrier. */
export function estimateRouting(deps: Omit<RoutingDeps, 'candidates'>, routed: RoutedItems): RoutingDecision {
  return routeOrder(requestOf(deps, routed));
}

function requestOf(
  { carriers, routingWeights: weights }: Omit<RoutingDeps, 'candidates'>,
  routed: RoutedItems,
): RoutingRequest {
  const { order, items, partners, at, excludedPartnerIds = [] } = routed;
  const known = new Map<string, Passage>();
  const passageOf: PassageOf = (printOrder) => {
    const key = keyOf(printOrder);
    let passage = known.get(key);
    if (passage === undefined) {
      const partner = partners.find(({ partnerId }) => partnerId === printOrder.partnerId)!;
      const { packages, consignment } = consign({ order, partner, jobs: printOrder.items });
      const quotes = carriers.estimate(consignment, order.rates);
      // Any method shows the distance when a gateway may have the one that the order names.
      const acceptsAny = !carriers.isEstimateComplete && !chooseMethod(quotes, order.shipmentMethodUid).ok;
      passage = passageWith(routed, printOrder, { partner, packages, quotes }, acceptsAny ? null : undefined);
      known.set(key, passage);
    }
    return passage;
  };
  return {
    items: items.map(({ id, product, quantity }) => ({ itemId: id, product, quantity })),
    destinationCountry: order.shippingAddress.country,
    partners,
    at,
    rates: order.rates,
    weights,
    passageOf,
    excludedPartnerIds,
  };
}

async function quotePrintOrder(
  carriers: Carriers,
  { order, partners }: RoutedItems,
  printOrder: PlannedPrintOrder,
): Promise<RoutedPrintOrder> {
  const partner = partners.find(({ partnerId }) => partnerId === printOrder.partnerId)!;
  const quoted = await quotePackages(carriers.quote, { order, partner, jobs: printOrder.items });
  return { ...printOrder, ...quoted, partner };
}

function passageWith(
  { order, at: now }: RoutedItems,
  { dispatchDate }: PlannedPrintOrder,
  { partner, packages, quotes }: Pick<RoutedPrintOrder, 'partner' | 'packages' | 'quotes'>,
  choice = order.shipmentMethodUid,
): Passage {
  const crossesBorder = isCrossBorder(partner.senderAddress, order.shippingAddress);
  const parcels = packages.length;
  const chosen = chooseMethod(quotes, choice);
  if (!chosen.ok)
    return { parcels, crossesBorder, postage: 0, deliveryDate: dispatchDate, refusal: 'no_shipment_method' };
  const { minor, currency } = chosen.method.price;
  return {
    parcels,
    crossesBorder,
    postage: convertMinor(minor, currency, 'EUR', order.rates),
    deliveryDate: planWith(chosen.method, chosen.isCheapest, packages, { partner, dispatchDate, now }).maxDeliveryDate,
    refusal: crossBorderRefusal(order, [partner]) === null ? null : 'no_retail_prices',
  };
}
