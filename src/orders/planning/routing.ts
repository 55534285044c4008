import { CarrierUnavailable } from '../../carriers/carrier';
import type { Carriers } from '../../carriers/carriers';
import { countOf } from '../../consignments/domain/consignment';
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
import { inSlices } from '../../platform/slices';
import { iossNumberOf } from './consignments';
import { crossBorderRefusal } from './plan-refusals';
import type { RunItem, RunOrder } from './run-order';
import { estimateMethods, planWith, type QuotedPackages, quoteMethods } from './shipment-plan';

/**
 * Routing chooses partners by what an order really costs: production, and the postage and the promised date of the
 * method that the order would choose, from each partner to the address, for the parcels that it would pack.
 *
 * 1. `candidatesFor` reads the partners with their stock and load.
 * 2. `rankPlans` (pure) ranks all plans by `Carriers.estimate`: rate cards, and gateways' rates of the last hour.
 * 3. Carriers are asked for the parcels of the three best plans at once, without gateways for those of the best one.
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

/** Plans whose parcels carriers are asked for at once. */
const ASKED_AT_ONCE = 3;

/** Returns the partners with their stock of the parts that the items need. */
export async function candidatesFor(read: CandidateReader, items: readonly RoutedItem[]): Promise<Candidate[]> {
  return await read(items.flatMap(({ product, quantity }) => [...stockNeeds(product, quantity).keys()]));
}

/** Returns the partners as if each were enabled and subscribed and had unlimited stock. */
export function withoutObstacles(candidates: CandidateReader): CandidateReader {
  return async (partnerSkus) =>
    (await candidates(partnerSkus)).map((partner) => ({
      ...partner,
      enabled: true,
      subscribed: true,
      stock: {},
    }));
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
 * @returns the decision, with the print orders of its plan. No print order when an item has no partner
 * @throws CarrierUnavailable when no carrier returns a method that the order accepts
 */
export async function routeItems(
  deps: Omit<RoutingDeps, 'candidates'>,
  routed: RoutedItems,
): Promise<{ readonly decision: RoutingDecision; readonly printOrders: readonly RoutedPrintOrder[] }> {
  const request = requestOf(deps, routed);
  const ranking = await inSlices(rankPlans(request));
  if (!ranking.ok) return { decision: ranking, printOrders: [] };
  const answers = new Map<string, Promise<RoutedPrintOrder>>();
  const partnerOf = ({ partnerId }: PlannedPrintOrder) => routed.partners.find((each) => each.partnerId === partnerId)!;
  // All print orders of a plan decide about the IOSS number that carriers get.
  const ask = (printOrder: PlannedPrintOrder, plan: Pick<Plan, 'printOrders'>): Promise<RoutedPrintOrder> => {
    const partner = partnerOf(printOrder);
    const planned = plan.printOrders.flatMap((each) =>
      each.items.map((units) => ({ ...units, printOrderId: null, jobId: null, from: partnerOf(each).senderAddress })),
    );
    const order = { ...routed.order, made: [...(routed.order.made ?? []), ...planned] };
    const key = `${keyOf(printOrder)} ${iossNumberOf(order, partner.senderAddress)}`;
    const answer =
      answers.get(key) ??
      quoteMethods(deps.carriers.quote, { order, partner, jobs: printOrder.items }).then((quoted) => ({
        ...printOrder,
        ...quoted,
        partner,
      }));
    answers.set(key, answer);
    return answer;
  };
  // Without gateways, the best plan is known.
  const atOnce = deps.carriers.isEstimateComplete ? 1 : ASKED_AT_ONCE;
  for (let count = atOnce; ; count += atOnce) {
    const asks = ranking.plans
      .slice(0, count)
      .flatMap((plan) => plan.printOrders.map((printOrder) => ({ printOrder, plan })));
    const asked = asks.map(({ printOrder }) => printOrder);
    const outcomes = await Promise.allSettled(asks.map(({ printOrder, plan }) => ask(printOrder, plan)));
    const passages = new Map(
      outcomes.map((outcome, index): [string, Passage] => {
        const printOrder = asked[index]!;
        const passage =
          outcome.status === 'fulfilled'
            ? passageWith(routed, printOrder, outcome.value)
            : { ...request.passageOf(printOrder), refusal: 'no_shipment_method' as const };
        return [keyOf(printOrder), passage];
      }),
    );
    const passageOf: PassageOf = (printOrder) => passages.get(keyOf(printOrder)) ?? request.passageOf(printOrder);
    const compared = ranking.plans.slice(0, Math.max(count, ASKED_AT_ONCE));
    const { chosen, isRefused, decision } = choosePlan(ranking, compared, { ...request, passageOf });
    const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
    if (error !== undefined && (isRefused || !(error instanceof CarrierUnavailable))) throw error;
    const isNextPossible = ranking.plans[count]?.printOrders.every((one) => request.passageOf(one).refusal === null);
    if (!isRefused || isNextPossible !== true)
      return { decision, printOrders: await Promise.all(chosen.printOrders.map((each) => ask(each, chosen))) };
  }
}

/** Routes items by what is known without a request to a carrier. */
export const estimateRouting = (deps: Omit<RoutingDeps, 'candidates'>, routed: RoutedItems): RoutingDecision =>
  routeOrder(requestOf(deps, routed));

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
      const estimated = estimateMethods(carriers, { order, partner, jobs: printOrder.items });
      passage = passageWith(routed, printOrder, { ...estimated, partner });
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

function passageWith(
  { order, at: now }: RoutedItems,
  { dispatchDate }: PlannedPrintOrder,
  { partner, choice, ...packed }: QuotedPackages & { readonly partner: Candidate },
): Passage {
  const parcels = countOf(packed.packages);
  const crossesBorder = isCrossBorder(partner.senderAddress, order.shippingAddress);
  if (!choice.ok)
    return { parcels, crossesBorder, postage: 0, deliveryDate: dispatchDate, refusal: 'no_shipment_method' };
  const { minor, currency } = choice.method.price;
  return {
    parcels,
    crossesBorder,
    postage: convertMinor(minor, currency, 'EUR', order.rates),
    deliveryDate: planWith(choice.method, choice.isCheapest, packed, { partner, dispatchDate, now }).maxDeliveryDate,
    refusal: crossBorderRefusal(order, [partner]) === null ? null : 'no_retail_prices',
  };
}
