/**
 * A consignment in the engine's own units: grams, millimetres, integer minor units of money.
 * The shipping group's requests and the dispatch of print orders both become this.
 */

export interface Money {
  /** Integer minor units (cents; yen as they are). */
  readonly minor: number;
  /** ISO 4217. */
  readonly currency: string;
}

export interface PostalAddress {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly company?: string | undefined;
  readonly addressLine1: string;
  readonly addressLine2?: string | undefined;
  readonly addressLine3?: string | undefined;
  readonly street?: string | undefined;
  readonly houseNumber?: string | undefined;
  readonly suburb?: string | undefined;
  readonly city: string;
  readonly postcode: string;
  readonly state?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

export interface TaxIds {
  readonly vatNumber?: string | undefined;
  readonly iossNumber?: string | undefined;
  readonly eoriNumber?: string | undefined;
  readonly pcccNumber?: string | undefined;
  readonly australianBusinessNumber?: string | undefined;
}

/** One line of a customs declaration. */
export interface ConsignmentItem {
  readonly itemReferenceId: string;
  readonly description: string;
  readonly quantity: number;
  /** Value of one unit. */
  readonly unitValue: Money;
  /** Weight of one unit. */
  readonly unitWeightGrams: number;
  readonly hsCode?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly countryOfOrigin?: string | undefined;
}

export interface ConsignmentPackage {
  readonly packageReferenceId: string;
  readonly grossWeightGrams: number;
  readonly lengthMm: number;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly items: readonly ConsignmentItem[];
  /** Object key of the packing slip (PDF) that goes in the package. */
  readonly packingSlip?: string | undefined;
}

export interface Consignment {
  readonly sender: PostalAddress & { readonly taxIds?: TaxIds | undefined };
  readonly receiver: PostalAddress & { readonly taxIds?: TaxIds | undefined };
  readonly packages: readonly ConsignmentPackage[];
  /** Currency prices are wanted in. */
  readonly currency: string;
  /** Brand shown on the label where the carrier allows it. */
  readonly brandName?: string | undefined;
  /** Printed on labels and documents: the client's or partner's reference. */
  readonly reference: string;
}

/** Which method is wanted: a method uid, a carrier name, or a tier; several comma-separated, the cheapest wins. */
export type MethodChoice = string;

/** A method that can carry a consignment, with its price and times. */
export interface MethodQuote {
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly methodUid: string;
  readonly methodName: string;
  readonly price: Money;
  /** Working days in transit. */
  readonly minDays: number;
  readonly maxDays: number;
  readonly paddingDays: number;
  /** As the retrieved shipment shows them. */
  readonly serviceType: 'normal' | 'standard' | 'express' | 'letter' | 'economy';
  readonly tracked: boolean;
}

export interface PurchasedPackage {
  readonly packageReferenceId: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  readonly cost: Money;
}

/** What buying labels gave; the documents are stored and read by shipment id. */
export interface PurchasedShipment {
  readonly shipmentId: string;
  readonly carrierUid: string;
  readonly carrierName: string;
  readonly methodUid: string;
  readonly methodName: string;
  readonly packages: readonly PurchasedPackage[];
}
