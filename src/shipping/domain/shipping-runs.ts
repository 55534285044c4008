import type { CarrierRefusal } from '../../carriers/carrier';
import type { PackagePart } from '../../consignments/domain/package-parts';

export function shippingOrderPurchaseKey(shippingOrderId: string): string {
  return `shipping-order:${shippingOrderId}`;
}

export interface ShippingOrderInput {
  readonly shippingOrderId: string;
  /** Id of the placing or canceling request, for the logs. */
  readonly requestId: string;
  /** Number of packages. The timeout of the purchase follows from it. */
  readonly packages?: number;
}

export type ShippingOrderOutcome =
  | { readonly outcome: 'bought'; readonly shipmentId: string }
  | { readonly outcome: 'refused'; readonly refusal: CarrierRefusal };

export type Cancellation =
  | { readonly outcome: 'canceled' }
  /** A carrier has scanned a package, so its label cannot be voided. */
  | { readonly outcome: 'scanned' }
  | { readonly outcome: 'carrier_refused'; readonly reason: string };

/** A label that is damaged or lost, or that of a package that is split. */
export interface LabelToReplace {
  readonly shipmentId: string;
  /** Index of its package. */
  readonly position: number;
  /** Absent: the package stays as it is. */
  readonly parts?: readonly PackagePart[] | undefined;
}

/** Result of the workflow that replaces a label. `refused`: the label stays as it is. */
export type ReplacedLabel =
  | { readonly outcome: 'replaced' }
  | { readonly outcome: 'refused'; readonly message: string };

/** What a tracking sweep has done. */
export interface SweepResult {
  readonly checked: number;
  readonly recorded: number;
  /** Packages without a usable response, or whose events could not be recorded. */
  readonly failed: number;
  /** Uids of carriers that are unavailable. */
  readonly unavailable: readonly string[];
}

export const NOTHING_SWEPT: SweepResult = { checked: 0, recorded: 0, failed: 0, unavailable: [] };

export const addSweeps = (a: SweepResult, b: SweepResult): SweepResult => ({
  checked: a.checked + b.checked,
  recorded: a.recorded + b.recorded,
  failed: a.failed + b.failed,
  unavailable: [...new Set([...a.unavailable, ...b.unavailable])],
});
