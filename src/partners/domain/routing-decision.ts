import { z } from 'zod';
import { PRODUCT_KINDS, type ProductKind, type ResolvedProduct } from '../../catalog/domain/product';
import type { RateTable } from '../../platform/domain/money';
import type { Production } from './calendar';
import type { PartnerCapabilities } from './capabilities';

export interface StockLevel {
  /** Units available now; null when the partner reported in-stock without an amount. */
  readonly available: number | null;
  /** YYYY-MM-DD on which more units arrive; null when unknown. */
  readonly replenishmentDate: string | null;
  /** True when print jobs may wait for replenishment. */
  readonly allowBackorder: boolean;
}

export interface CandidatePartner {
  readonly partnerId: string;
  readonly uid: string;
  readonly country: string;
  readonly currency: string;
  readonly enabled: boolean;
  /** True when the partner has registered its addresses. */
  readonly subscribed: boolean;
  readonly capabilities: PartnerCapabilities;
  /** Stock by partner SKU. The stock of a missing SKU is unknown; routing then assumes that the partner has it. */
  readonly stock: Readonly<Record<string, StockLevel>>;
  /** Units in its print jobs that are not printed yet. */
  readonly openUnits: number;
}

export interface RoutingItem {
  readonly itemId: string;
  readonly product: ResolvedProduct;
  readonly quantity: number;
}

/** Items that form one print order: they have the same partner and product kind. */
export interface PlannedPrintOrder {
  readonly partnerId: string;
  readonly partnerUid: string;
  readonly kind: ProductKind;
  readonly items: readonly { readonly itemId: string; readonly quantity: number }[];
  /** YYYY-MM-DD. The latest dispatch date of its items. */
  readonly dispatchDate: string;
  /** The production of the item with this date. */
  readonly production: Production;
}

/** How the parcels of a print order travel with the method that the order would choose. */
export interface Passage {
  readonly parcels: number;
  /** Postage of all parcels in euro cents. */
  readonly postage: number;
  /** YYYY-MM-DD. The last day of the delivery promise. */
  readonly deliveryDate: string;
  readonly crossesBorder: boolean;
  /** Why an order with this print order is refused, or null. */
  readonly refusal: RefusingReason | null;
}

/** Returns the passage of a print order: from rate cards alone, or from what carriers have just returned. */
export type PassageOf = (printOrder: PlannedPrintOrder) => Passage;

/** What an operator adds to prices, in euro cents. */
export interface RoutingWeights {
  /** Each calendar day until the last parcel is delivered. */
  readonly day: number;
  /** Each parcel, beside its postage. */
  readonly parcel: number;
  /** Each print order that crosses a customs border. */
  readonly border: number;
}

export interface RoutingRequest {
  readonly items: readonly RoutingItem[];
  /** ISO 3166-1 alpha-2. */
  readonly destinationCountry: string;
  readonly partners: readonly CandidatePartner[];
  /** Time of the handover. */
  readonly at: Date;
  readonly rates: RateTable;
  readonly weights: RoutingWeights;
  readonly passageOf: PassageOf;
  /** Partners that an operator excluded for these items. */
  readonly excludedPartnerIds?: readonly string[];
}

/**
 * What a client reads about an item that no partner can make, the most specific reason first. Names, capabilities and SKUs of
 * partners are for operators.
 */
export const UNROUTABLE_TEXTS = {
  out_of_stock: 'the product is out of stock',
  unavailable: 'the product cannot be produced at the moment',
  destination_not_served: 'the product is not shipped to this country',
  not_produced: 'the product is not produced',
} as const;

export type UnroutableCode = keyof typeof UNROUTABLE_TEXTS;

/**
 * Reasons for which a partner cannot make an item, with the text for operators and what a client reads. `passing`: the reason is
 * temporary; the same partner can make the item later.
 */
export const REJECTIONS = {
  no_retail_prices: {
    passing: false,
    text: 'ships across a customs border, which needs retail prices',
    client: 'destination_not_served',
  },
  no_shipment_method: {
    passing: false,
    text: 'has no shipment method that the order accepts',
    client: 'destination_not_served',
  },
  excluded: { passing: false, text: 'is excluded by an operator', client: 'not_produced' },
  kind_not_made: { passing: false, text: 'does not make products of this kind', client: 'not_produced' },
  model_not_made: { passing: false, text: 'does not make this product model', client: 'not_produced' },
  destination_not_served: { passing: false, text: 'does not ship to this country', client: 'destination_not_served' },
  disabled: { passing: true, text: 'is disabled', client: 'unavailable' },
  not_subscribed: { passing: true, text: 'has not subscribed yet', client: 'unavailable' },
  out_of_stock: { passing: true, text: 'is out of stock', client: 'out_of_stock' },
} as const satisfies Record<string, { passing: boolean; text: string; client: UnroutableCode }>;

export type RejectionReason = keyof typeof REJECTIONS;

/** Reasons for which the whole order is refused. Such a partner is chosen only when no other one is left. */
export type RefusingReason = Extract<RejectionReason, 'no_retail_prices' | 'no_shipment_method'>;

export const REJECTION_REASONS = Object.keys(REJECTIONS) as RejectionReason[];

const named = { partnerId: z.string(), partnerUid: z.string() };
const cents = z.int().describe('Euro cents.');

/** Cost of one choice. Time, parcels, borders and risks are converted to money, so that the total can be compared. */
const cost = z.object({
  production: cents.describe('The partner’s price.'),
  postage: cents.describe('The method that the order chooses, from this partner to the address.'),
  time: cents.describe('Days until the promised delivery.'),
  parcels: cents.describe('What each parcel costs beside its postage.'),
  borders: cents.describe('Customs borders.'),
  stock: cents.describe('Stock that is unknown or backordered.'),
  total: cents,
});

const weighed = <V extends string>(verdict: V) =>
  z.object({
    ...named,
    verdict: z.literal(verdict),
    cost,
    dispatchDate: z.iso.date(),
    deliveryDate: z.iso
      .date()
      .describe('Last day of delivery, as if the partner made the items of its kind that it can.'),
    backordered: z.boolean(),
  });

const alternative = z.discriminatedUnion('verdict', [
  weighed('chosen'),
  weighed('dearer'),
  weighed('dearer_overall').describe('Cheaper for this item alone, more expensive for the whole order.'),
  z.object({
    ...named,
    verdict: z.literal('rejected'),
    reason: z.enum(REJECTION_REASONS),
    detail: z.string(),
  }),
]);

const explanation = z
  .array(z.object({ itemId: z.string(), alternatives: z.array(alternative) }))
  .describe(
    'All partners for each item: the chosen one first, then the others by cost, then the rejected ones. Postage, time, ' +
      'parcels and borders are the item’s share by weight, as if the partner made all items of its kind that it can, ' +
      'by rate cards and recent rates.',
  );

const plan = z.object({
  printOrders: z.array(z.object({ ...named, kind: z.enum(PRODUCT_KINDS), parcels: z.int() })),
  deliveryDate: z.iso.date().describe('Last day of the delivery promise.'),
  cost,
});

export const routingDecisionSchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    assignments: z.array(
      z.object({
        ...named,
        itemId: z.string(),
        quantity: z.int(),
        kind: z.enum(PRODUCT_KINDS),
        dispatchDate: z.iso.date(),
        production: z
          .object({ from: z.iso.date(), leadDays: z.int() })
          .describe('The earliest day of production, and the working days from its start to dispatch.'),
        backordered: z.boolean(),
        productionCost: z.object({ minor: z.int(), currency: z.string() }),
      }),
    ),
    plans: z.array(plan).describe('The chosen plan, then the next best ones.'),
    why: z.string().describe('Why this plan, in one line.'),
    explanation,
  }),
  z.object({
    ok: z.literal(false),
    unroutable: z.array(
      z.object({
        itemId: z.string(),
        passing: z.boolean().describe('True when a partner can make the item later.'),
        code: z.enum(Object.keys(UNROUTABLE_TEXTS) as [UnroutableCode]).describe('Reason as the client reads it.'),
        reason: z.string().describe('The reason of each partner.'),
      }),
    ),
    explanation,
  }),
]);

export type RoutingDecision = z.output<typeof routingDecisionSchema>;
export type ItemExplanation = RoutingDecision['explanation'][number];
export type Alternative = ItemExplanation['alternatives'][number];
export type RoutedPlan = z.output<typeof plan>;
/** Costs of an item or of a plan. */
export type Cost = z.output<typeof cost>;
/** One item and the partner that makes it. `productionCost`: price of all units in the partner's currency. */
export type Assignment = Extract<RoutingDecision, { ok: true }>['assignments'][number];
