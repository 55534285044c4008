import type { DeadlineSettings, RunClock, ShownDeadline } from '../lifecycle/deadlines';
import type { RunEffect } from '../lifecycle/run-events';
import type { RunState } from '../lifecycle/run-state';
import type { FinancialStatus, OrderStatus } from '../lifecycle/statuses';
import type { RunRows } from './run-rows';

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
  /** Set when a run continues as new. */
  readonly carried?: {
    readonly state: RunState;
    readonly clock: RunClock;
    /** Set when the order is parked. */
    readonly parked?: ParkedPlan;
  };
}

/** The pause before a parked order is planned again. */
export interface ParkedPlan {
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Epoch milliseconds of the next attempt. */
  readonly nextAt: number;
}

export interface OrderRunResult {
  readonly fulfillmentStatus: OrderStatus;
}

/** Orders the records of a run: by the position of its workflow task (`runPosition`), then by the state's version. */
export interface RecordStep {
  readonly position: number;
  readonly version: number;
}

/**
 * What the run writes to Postgres after a batch of events, in one transaction. It holds all statuses, not only changes:
 * the record before it may be missing, or may be of an attempt that Temporal lost.
 */
export interface RunRecord extends RecordStep, RunRows {
  readonly orderId: string;
  readonly clientId: string;
  /** The run id of the workflow. */
  readonly runId: string;
  /** True after a skipped record: the workflow is known to run, and its record applies whatever the rows have. */
  readonly overrides?: boolean;
  /** The record before this one. Null for the first record after continue-as-new. */
  readonly follows: RecordStep | null;
  /** Null: as it was when this run started. */
  readonly financialStatus: FinancialStatus | null;
  readonly effects: readonly RunEffect[];
  /** Inbox ids of the postbacks in this batch. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: {
    readonly code: string;
    readonly reason: string;
    readonly details: object | null;
  } | null;
}

/**
 * What became of a record. `repeated`: an earlier attempt of the same step had written it. `skipped`: the rows are those
 * of a later step or of another run. `refused`: Postgres refuses the record for its content. What it accepts of it is written.
 */
export type RecordOutcome = 'recorded' | 'repeated' | 'skipped' | 'refused';

/** Names of the updates and queries of the order workflow. The API sends them. */
export const ORDER_UPDATES = {
  dispatch: 'dispatch',
  changeShipping: 'changeShipping',
  cancel: 'cancel',
  repair: 'repair',
} as const;
/** Result of the query `runState`. */
export interface RunView extends RunState {
  readonly deadlines: readonly ShownDeadline[];
}

export const ORDER_QUERIES = { runState: 'runState' } as const;

export interface DispatchResult {
  readonly shipmentId: string;
}

export interface CancelRequest {
  readonly by: string;
  readonly reason: string;
}

/** An operator's repair of an order. */
export type RepairRequest = {
  readonly by: string;
  readonly reason: string;
} & (
  | { readonly action: 'hold' | 'release' | 'dismiss' }
  | { readonly action: 'retry'; readonly itemIds: readonly string[] }
  | {
      readonly action: 'reroute' | 'reproduce';
      readonly itemId: string;
      /** Units. Null: all. */
      readonly quantity: number | null;
      /** Null: routing chooses. */
      readonly partnerId: string | null;
      /** True: the new print order takes over at once, whatever the partner of the replaced units does. */
      readonly force?: boolean;
    }
  | { readonly action: 'cancel'; readonly itemIds: readonly string[] }
);

export type ReplacementRequest = Extract<RepairRequest, { action: 'reroute' | 'reproduce' }>;

/** Failure types with which a run refuses an update. The API maps them to its error codes. */
export const RUN_REFUSALS = {
  conflict: 'Conflict',
  notReady: 'NotReady',
  unavailable: 'Unavailable',
  carrier: 'CarrierRefused',
  invalid: 'Invalid',
} as const;
