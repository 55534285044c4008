import type { ProductKind, ResolvedProduct } from '../../catalog/domain/product';
import type { RateTable } from '../../platform/domain/money';
import type { PartnerCapabilities } from './capabilities';

/** Stock of one SKU at a partner. */
export interface StockLevel {
  /** Units available now; null when the partner reported in-stock without an amount. */
  readonly available: number | null;
  /** YYYY-MM-DD on which more units arrive; null when unknown. */
  readonly replenishmentDate: string | null;
  /** True when print jobs may wait for replenishment. */
  readonly allowBackorder: boolean;
}

/** A partner that routing can choose. */
export interface CandidatePartner {
  readonly partnerId: string;
  readonly uid: string;
  /** Country that it ships from. */
  readonly country: string;
  /** Currency of its prices. */
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

/** Reason for which a partner cannot make an item. */
export type RejectionReason = keyof typeof REJECTIONS;

/** `passing`: the reason is temporary; the same partner can make the item later. */
export const REJECTIONS = {
  excluded: { passing: false, text: 'is excluded by an operator' },
  kind_not_made: { passing: false, text: 'does not make products of this kind' },
  model_not_made: { passing: false, text: 'does not make this product model' },
  destination_not_served: { passing: false, text: 'does not ship to this country' },
  disabled: { passing: true, text: 'is disabled' },
  not_subscribed: { passing: true, text: 'has not subscribed yet' },
  out_of_stock: { passing: true, text: 'is out of stock' },
} as const satisfies Record<string, { passing: boolean; text: string }>;

export const REJECTION_REASONS = Object.keys(REJECTIONS) as RejectionReason[];

/**
 * Cost of one choice in euro cents. Days and risks are converted to money, so that the total can be compared: the
 * partner's price plus the value of the rest.
 */
export interface ItemCost {
  readonly production: number;
  /** Calendar days until dispatch, at `DAY_COST` each. */
  readonly waiting: number;
  /** Days in transit by distance of the destination, at `DAY_COST` each. */
  readonly transit: number;
  /** Risk of stock that is on order or unknown. */
  readonly stock: number;
  readonly total: number;
}

export type Alternative =
  | {
      readonly partnerId: string;
      readonly partnerUid: string;
      readonly verdict: 'rejected';
      readonly reason: RejectionReason;
      /** Text for operators. */
      readonly detail: string;
    }
  | {
      readonly partnerId: string;
      readonly partnerUid: string;
      readonly verdict: 'chosen' | 'dearer' | 'dearer_overall';
      readonly cost: ItemCost;
      readonly dispatchDate: string;
      readonly backordered: boolean;
    };

/** One item and the partner that makes it. */
export interface Assignment {
  readonly itemId: string;
  readonly quantity: number;
  readonly kind: ProductKind;
  readonly partnerId: string;
  readonly partnerUid: string;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  readonly backordered: boolean;
  /** Price of all units in the partner's currency. */
  readonly productionCost: { readonly minor: number; readonly currency: string };
}

export interface ItemExplanation {
  readonly itemId: string;
  /** All partners: the chosen one first, then the others by cost, then the rejected ones. */
  readonly alternatives: readonly Alternative[];
}

export type RoutingDecision =
  | {
      readonly ok: true;
      readonly assignments: readonly Assignment[];
      /** Parcel cost of each chosen partner in euro cents, by partner uid. */
      readonly parcels: Readonly<Record<string, number>>;
      readonly explanation: readonly ItemExplanation[];
    }
  | {
      readonly ok: false;
      /** Items that no partner can make. `passing`: at least one partner can make it later. */
      readonly unroutable: readonly {
        readonly itemId: string;
        readonly passing: boolean;
        readonly reason: string;
      }[];
      readonly explanation: readonly ItemExplanation[];
    };
