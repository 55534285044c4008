import type { Consignment, MethodQuote, Money } from '../consignments/domain/consignment';
import type { TrackingStatus } from '../consignments/domain/tracking-status';

/** What is wanted of a carrier for one package of a consignment. */
export interface PurchaseRequest {
  readonly consignment: Consignment;
  /** Index into `consignment.packages`. */
  readonly packageIndex: number;
  readonly methodUid: string;
  /** The same key always gives the same purchase. */
  readonly idempotencyKey: string;
  /** For carriers that make their labels themselves. */
  readonly labelFormat?: 'pdf' | 'zpl';
}

/** The label of a purchase: bytes the carrier made, or what our own label has to say. */
export type PurchasedLabel =
  | {
      readonly kind: 'made';
      readonly contentType: 'application/pdf' | 'application/zpl';
      readonly body: Buffer;
    }
  | {
      readonly kind: 'to_make';
      readonly symbology: 'code128' | 'gs1-128';
      readonly mark: string;
      readonly routing: string;
      readonly brandAllowed: boolean;
    };

export interface CarrierPurchase {
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly methodName: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  readonly cost: Money;
  readonly label: PurchasedLabel;
  /** Customs papers go with postal items as CN22 or CN23, with others as a commercial invoice. */
  readonly customsForm: 'postal' | 'commercial';
  /** Whether the carrier sends events by itself or has to be asked. */
  readonly tracking: 'pushed' | 'polled';
}

/** The carrier said no: asking again the same way gives the same answer. */
export interface CarrierRefusal {
  /** Code of the carrier's kind of refusal, in `detail.code` of the answer. */
  readonly code: string;
  readonly message: string;
  /** The carrier's own message tree. */
  readonly detail?: object;
  /** Fields of the request the carrier needs, as paths. */
  readonly missing?: readonly string[];
}

export type BuyOutcome =
  | { readonly ok: true; readonly purchase: CarrierPurchase }
  | { readonly ok: false; readonly refusal: CarrierRefusal };

export type VoidOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Something that happened to a package on its way. */
export interface CarrierEvent {
  readonly trackingNumber: string;
  /** The carrier's id of the event; null where it has none. */
  readonly eventId: string | null;
  readonly statusUid: TrackingStatus;
  readonly message: string;
  readonly description?: string | undefined;
  readonly location?: string | undefined;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** YYYY-MM-DD. */
  readonly expectedDeliveryDate?: string | undefined;
  /** Provider that vouches for the event. */
  readonly signedBy: string;
}

/**
 * No usable answer: a time-out, a broken connection, a server error, an answer that cannot be read. Whether the
 * carrier has acted is not known; the same call with the same idempotency key finds out.
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

/** What a carrier, or a gateway to several, must be able to do. */
export interface CarrierAdapter {
  /** Method uids of an adapter start with this and an underscore. */
  readonly uid: string;
  /** Every method that carries all packages; none is an empty list. @throws CarrierUnavailable */
  quote(consignment: Consignment): Promise<readonly MethodQuote[]>;
  /** Buys the label of one package, once a key. @throws CarrierUnavailable when the outcome is not known */
  buy(request: PurchaseRequest): Promise<BuyOutcome>;
  /**
   * Takes a purchase back; its key gives it no more. Of a key that never bought it is a success.
   * @throws CarrierUnavailable when the outcome is not known
   */
  void(purchase: { readonly idempotencyKey: string; readonly methodUid: string }): Promise<VoidOutcome>;
  /** What is known of the packages; unknown numbers are left out. @throws CarrierUnavailable */
  track(trackingNumbers: readonly string[]): Promise<readonly CarrierEvent[]>;
}
