import { z } from 'zod';
import { PRODUCT_KINDS, type ResolvedProduct } from '../../catalog/domain/product';
import type { RateTable } from '../../platform/domain/money';
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

export interface RoutingRequest {
  readonly items: readonly RoutingItem[];
  /** ISO 3166-1 alpha-2. */
  readonly destinationCountry: string;
  readonly partners: readonly CandidatePartner[];
  /** Time of the handover. */
  readonly at: Date;
  readonly rates: RateTable;
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
  excluded: { passing: false, text: 'is excluded by an operator', client: 'not_produced' },
  kind_not_made: { passing: false, text: 'does not make products of this kind', client: 'not_produced' },
  model_not_made: { passing: false, text: 'does not make this product model', client: 'not_produced' },
  destination_not_served: { passing: false, text: 'does not ship to this country', client: 'destination_not_served' },
  disabled: { passing: true, text: 'is disabled', client: 'unavailable' },
  not_subscribed: { passing: true, text: 'has not subscribed yet', client: 'unavailable' },
  out_of_stock: { passing: true, text: 'is out of stock', client: 'out_of_stock' },
} as const satisfies Record<string, { passing: boolean; text: string; client: UnroutableCode }>;

export type RejectionReason = keyof typeof REJECTIONS;

export const REJECTION_REASONS = Object.keys(REJECTIONS) as RejectionReason[];

const named = { partnerId: z.string(), partnerUid: z.string() };
const cents = z.int().describe('Euro cents.');

/** Cost of one choice. Days and risks are converted to money, so that the total can be compared. */
const cost = z
  .object({ production: cents, waiting: cents, transit: cents, stock: cents, total: cents })
  .describe('The partner’s price, and days and risks converted to money.');

const weighed = <V extends string>(verdict: V) =>
  z.object({
    ...named,
    verdict: z.literal(verdict),
    cost,
    dispatchDate: z.iso.date(),
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

/** All partners for each item: the chosen one first, then the others by cost, then the rejected ones. */
const explanation = z.array(z.object({ itemId: z.string(), alternatives: z.array(alternative) }));

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
        backordered: z.boolean(),
        productionCost: z.object({ minor: z.int(), currency: z.string() }),
      }),
    ),
    parcels: z.record(z.string(), cents).describe('Parcel cost of each chosen partner, by partner uid.'),
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
export type ItemCost = z.output<typeof cost>;
/** One item and the partner that makes it. `productionCost`: price of all units in the partner's currency. */
export type Assignment = Extract<RoutingDecision, { ok: true }>['assignments'][number];
