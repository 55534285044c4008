import type { ProductKind, ResolvedProduct } from '../../catalog/domain/product';
import type { RateTable } from '../../platform/domain/money';
import type { PartnerCapabilities } from './capabilities';

/** What a partner has of a stocked part. */
export interface StockLevel {
  /** Units that can be taken now; null when the partner says in stock and no number. */
  readonly available: number | null;
  /** YYYY-MM-DD on which more comes in, where that is known. */
  readonly replenishmentDate: string | null;
  /** Whether print jobs may wait for more. */
  readonly allowBackorder: boolean;
}

/** A partner as routing weighs it. */
export interface CandidatePartner {
  readonly partnerId: string;
  readonly uid: string;
  /** Country it ships from. */
  readonly country: string;
  /** Currency of its prices. */
  readonly currency: string;
  readonly enabled: boolean;
  /** Whether it has told where print orders go. */
  readonly subscribed: boolean;
  readonly capabilities: PartnerCapabilities;
  /** By partner SKU. One that is missing here is unknown: the partner is taken at its word that it makes the model. */
  readonly stock: Readonly<Record<string, StockLevel>>;
  /** Units it has taken on and not yet printed. */
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
  /** When the print orders would be handed over. */
  readonly at: Date;
  readonly rates: RateTable;
  /** Partners that must not get these items: an operator routes away from them. */
  readonly excludedPartnerIds?: readonly string[];
}

/** Why a partner cannot have an item. */
export type RejectionReason = keyof typeof REJECTIONS;

/** `passing`: the same partner may well take the item later, so an order can wait for it. */
export const REJECTIONS = {
  excluded: { passing: false, says: 'left out by an operator' },
  kind_not_made: { passing: false, says: 'does not make products of this kind' },
  model_not_made: { passing: false, says: 'does not make this product model' },
  destination_not_served: { passing: false, says: 'does not ship to this country' },
  disabled: { passing: true, says: 'is switched off' },
  not_subscribed: { passing: true, says: 'has not subscribed yet' },
  out_of_stock: { passing: true, says: 'is out of stock' },
} as const satisfies Record<string, { passing: boolean; says: string }>;

export const REJECTION_REASONS = Object.keys(REJECTIONS) as RejectionReason[];

/**
 * What one choice costs, in euro cents. Money and time are put on one scale, so that a decision
 * can be read as a sum: the partner's price, and what the rest is worth.
 */
export interface ItemCost {
  readonly production: number;
  /** Calendar days until dispatch, at `DAY_COST` each. */
  readonly waiting: number;
  /** Days on the road, by how far the destination is, at `DAY_COST` each. */
  readonly transit: number;
  /** Risk of stock that is on order or not known. */
  readonly stock: number;
  readonly total: number;
}

export type Alternative =
  | {
      readonly partnerId: string;
      readonly partnerUid: string;
      readonly verdict: 'rejected';
      readonly reason: RejectionReason;
      /** In words, for operators. */
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

/** One item at the partner that makes it. */
export interface Assignment {
  readonly itemId: string;
  readonly quantity: number;
  readonly kind: ProductKind;
  readonly partnerId: string;
  readonly partnerUid: string;
  /** YYYY-MM-DD. */
  readonly dispatchDate: string;
  readonly backordered: boolean;
  /** What the partner asks for all units, in its currency. */
  readonly productionCost: { readonly minor: number; readonly currency: string };
}

export interface ItemExplanation {
  readonly itemId: string;
  /** Every partner looked at: the chosen one first, then by cost, then the rejected. */
  readonly alternatives: readonly Alternative[];
}

export type RoutingDecision =
  | {
      readonly ok: true;
      readonly assignments: readonly Assignment[];
      /** Parcel cost of each partner used, in euro cents, by partner uid. */
      readonly parcels: Readonly<Record<string, number>>;
      readonly explanation: readonly ItemExplanation[];
    }
  | {
      readonly ok: false;
      /** Items no partner can have. `passing`: at least one partner may take it later. */
      readonly unroutable: readonly {
        readonly itemId: string;
        readonly passing: boolean;
        readonly reason: string;
      }[];
      readonly explanation: readonly ItemExplanation[];
    };
