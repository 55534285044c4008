import type { SearchPosition } from '../../platform/list-position';
import type { AttentionReason } from '../domain/lifecycle/attention-reasons';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';

/** Filters of a search. An order must match every filter given; a list matches any of its values. */
export interface OrderSearch {
  readonly ids?: readonly string[] | undefined;
  readonly orderReferenceIds?: readonly string[] | undefined;
  readonly clientIds?: readonly string[] | undefined;
  readonly fulfillmentStatuses?: readonly OrderStatus[] | undefined;
  readonly financialStatuses?: readonly FinancialStatus[] | undefined;
  readonly orderTypes?: readonly ('order' | 'draft')[] | undefined;
  readonly countries?: readonly string[] | undefined;
  readonly channels?: readonly string[] | undefined;
  /** ISO 8601, inclusive. */
  readonly createdFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly createdTo?: string | undefined;
  /** ISO 8601, inclusive. With this or `updatedTo`, orders are sorted by their last change, and clients must be named. */
  readonly updatedFrom?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly updatedTo?: string | undefined;
  /** Orders with at least one of these reasons; empty for any reason. */
  readonly attention?: readonly AttentionReason[] | undefined;
  /** Orders with a print order at one of these partners. */
  readonly partnerIds?: readonly string[] | undefined;
  /** Orders with a shipment planned by one of these methods. */
  readonly methodUids?: readonly string[] | undefined;
}

export interface SearchPage {
  readonly limit: number;
  readonly after: SearchPosition | null;
}
