import type { Consignment, MethodQuote, Money, PostalAddress } from '../consignments/domain/consignment';
import type { TrackingStatus } from '../consignments/domain/tracking-status';
import type { RateTable } from '../platform/domain/money';

export interface PurchaseRequest {
  readonly consignment: Consignment;
  readonly packageIndex: number;
  readonly methodUid: string;
  /** Repeated requests with the same key return the same purchase. */
  readonly idempotencyKey: string;
  readonly labelFormat?: 'pdf' | 'zpl';
  /** No call to the carrier begins after it aborts. */
  readonly signal?: AbortSignal;
}

/** The label of a purchase: the carrier's own file (`made`), or the data of a label that Pressline draws (`to_make`). */
export type PurchasedLabel =
  | {
      readonly kind: 'made';
      readonly contentType: 'application/pdf' | 'application/zpl';
      readonly body: Buffer;
    }
  | LabelToMake;

export interface LabelToMake {
  readonly kind: 'to_make';
  readonly symbology: 'code128' | 'gs1-128';
  readonly mark: string;
  readonly routing: string;
  readonly brandAllowed: boolean;
}

export interface CarrierPurchase {
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly methodName: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  /** The random part of the address of our own tracking page. Absent when the carrier has a page. */
  readonly pageToken?: string;
  readonly cost: Money;
  readonly label: PurchasedLabel;
  /** Customs documents: CN22 or CN23 for postal items, a commercial invoice for others. */
  readonly customsForm: 'postal' | 'commercial';
  /** `pushed`: the carrier sends events to the webhook. `polled`: the tracking sweep requests them. */
  readonly tracking: 'pushed' | 'polled';
}

/** A refusal by the carrier. Repeating the same request returns the same refusal. */
export interface CarrierRefusal {
  /** Kind of refusal; `detail.code` of the API response. */
  readonly code: string;
  readonly message: string;
  /** The carrier's own message tree. */
  readonly detail?: object;
  /** Paths of request fields that the carrier requires. */
  readonly missing?: readonly string[];
}

export type BuyOutcome =
  | { readonly ok: true; readonly purchase: CarrierPurchase }
  | { readonly ok: false; readonly refusal: CarrierRefusal };

export type VoidOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export interface CarrierEvent {
  readonly trackingNumber: string;
  /** The carrier's id of the event, or null when it has none. */
  readonly eventId: string | null;
  readonly statusUid: TrackingStatus;
  readonly message: string;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** YYYY-MM-DD. */
  readonly expectedDeliveryDate?: string | undefined;
  /** Provider that reported the event. */
  readonly signedBy: string;
}

/**
 * The carrier gave no usable response: a timeout, a broken connection, a server error or an unreadable response. It may
 * have carried the call out. Repeat the call with the same idempotency key to find out.
 */
export class CarrierUnavailable extends Error {
  override readonly name = 'CarrierUnavailable';
  constructor(
    readonly adapterUid: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Returns a time of the day whose exchange rates apply to the quotes of a consignment. */
export const quotedAt = ({ ratesOf }: Consignment): Date => (ratesOf === undefined ? new Date() : new Date(ratesOf));

/** Rate at which a carrier accepts requests about packages. */
export interface TrackingLimits {
  readonly batch: number;
  readonly perSecond: number;
}

/** What a carrier doubts in an address. */
export interface CarrierDoubt {
  readonly field: 'addressLine1' | 'addressLine2' | 'city' | 'postcode' | 'state';
  readonly message: string;
  readonly suggestion: string | null;
}

/** A carrier, or a gateway to several carriers. */
export interface CarrierAdapter {
  /** The adapter's method uids start with this uid and an underscore. */
  readonly uid: string;
  /** Returns every method that carries all packages, possibly none. @throws CarrierUnavailable */
  quote(consignment: Consignment): Promise<readonly MethodQuote[]>;
  /** Returns what `quote` returns, without a request to another system. Absent for gateways, which know their rates alone. */
  estimate?(consignment: Consignment, rates: RateTable): readonly MethodQuote[];
  /** Buys the label of one package, once per key. @throws CarrierUnavailable when the outcome is not known */
  buy(request: PurchaseRequest): Promise<BuyOutcome>;
  /**
   * Returns the data of the label that a purchase got, without buying anything. Absent for carriers that produce their own
   * labels. Null when the carrier no longer has the method.
   */
  labelOf?(request: Pick<PurchaseRequest, 'consignment' | 'methodUid'>): LabelToMake | null;
  /**
   * Voids a purchase. Its key can buy nothing afterwards. Succeeds for a key that never bought anything.
   * @throws CarrierUnavailable when the outcome is not known
   */
  void(purchase: { readonly idempotencyKey: string; readonly methodUid: string }): Promise<VoidOutcome>;
  /** Returns what the carrier doubts in an address. Absent for carriers that check none. @throws CarrierUnavailable */
  checkAddress?(address: PostalAddress): Promise<readonly CarrierDoubt[]>;
  readonly trackingLimits: TrackingLimits;
  /** Returns the known events of packages; unknown numbers are left out. @throws CarrierUnavailable */
  track(trackingNumbers: readonly string[]): Promise<readonly CarrierEvent[]>;
}
