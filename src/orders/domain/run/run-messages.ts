import type { Cancellation } from '../lifecycle/facts/cancellations';
import type { ItemUnits, RequestedBy } from '../lifecycle/requests';
import type { ShownDeadline } from '../lifecycle/rules/deadlines';
import type { DeadlineSettings, RunState } from '../lifecycle/run-state';
import type { OrderStatus } from '../lifecycle/statuses';
import type { LedgerState, RunSnapshot } from './run-record';

/** Input of the order workflow. It has no personal data: activities read addresses from Postgres. */
export interface OrderRunInput extends DeadlineSettings {
  readonly orderId: string;
  readonly clientId: string;
  readonly orderReferenceId: string;
  /** ISO 3166-1 alpha-2 of the delivery address. */
  readonly country: string;
  /** Id of the request that submitted the order. Every log line of the run has it. */
  readonly requestId: string;
  readonly items: readonly { readonly id: string; readonly quantity: number }[];
  readonly fileRetryWindowMs: number;
  /** Set when a run continues another one: after continue-as-new, or because that one was lost. */
  readonly carried?: CarriedRun;
}

/** What a run gets from the run that it continues. */
export interface CarriedRun extends RunSnapshot, LedgerState {
  /** Set when the order is parked. */
  readonly parked?: ParkedPlan;
}

/** Type of the failure of a step that ends the process of its worker each time. It is not tried again by itself. */
export const STEP_FAILS_PROCESS = 'StepFailsProcess';

/** The pause before a parked order is planned again. */
export interface ParkedPlan {
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Epoch milliseconds of the next attempt. Null: an operator starts it. */
  readonly nextAt: number | null;
}

export interface OrderRunResult {
  readonly fulfillmentStatus: OrderStatus;
}

/** Names of the updates and queries of the order workflow. The API sends them. */
export const ORDER_UPDATES = {
  dispatch: 'dispatch',
  changeShipping: 'changeShipping',
  cancel: 'cancel',
  repair: 'repair',
} as const;
/** Result of the query `runState`. */
export interface RunView extends RunState, Omit<RunSnapshot, 'state'> {
  readonly deadlines: readonly ShownDeadline[];
}

export const ORDER_QUERIES = { runState: 'runState' } as const;

/** A partner's request for the labels of a print order. */
export interface DispatchRequest {
  readonly printOrderId: string;
  /** References of the items that leave first, in parcels without others. Absent: all. */
  readonly first?: readonly string[];
  /** The request does not wait for the labels: it is repeated until they exist. */
  readonly inBackground?: true;
}

export interface DispatchResult {
  /** Null: the labels are being bought. */
  readonly shipmentId: string | null;
}

/** A client's request to cancel an order, or some items of it. */
export interface CancelRequest extends RequestedBy {
  /** Absent: all that have not shipped. */
  readonly itemIds?: readonly string[];
  /** Single units of other items. */
  readonly units?: readonly ItemUnits[];
  /** Ids of the print orders whose partners take no order updates. Units of these cannot be cancelled by a client. */
  readonly withoutUpdates?: readonly string[];
  /** True for an operator, who also ends units to whose end a partner does not agree. */
  readonly force?: boolean;
}

export interface CancelResult extends OrderRunResult {
  readonly cancellation: Cancellation;
}
