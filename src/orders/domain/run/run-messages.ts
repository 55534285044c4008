import type { RunClock } from '../lifecycle/deadlines';
import type { RunEffect } from '../lifecycle/run-events';
import type { RunState } from '../lifecycle/run-state';
import type { FinancialStatus, OrderStatus } from '../lifecycle/statuses';
import type { RunRows } from './run-rows';

/** What the order workflow starts with. No personal data: the run reads addresses from Postgres. */
export interface OrderRunInput {
  readonly orderId: string;
  readonly clientId: string;
  readonly orderReferenceId: string;
  /** ISO 3166-1 alpha-2 of the delivery address. */
  readonly country: string;
  /** Id of the request that submitted the order, carried into every log line. */
  readonly requestId: string;
  readonly items: readonly { readonly id: string; readonly quantity: number }[];
  readonly receivedDeadlineMs: number;
  readonly fileRetryWindowMs: number;
  /** Set when a long run goes on as a new one. */
  readonly carried?: { readonly state: RunState; readonly clock: RunClock };
}

export interface OrderRunResult {
  readonly fulfillmentStatus: OrderStatus;
}

/** Which step of a run it is: the position in the history (`runPosition`), then the state's version. */
export interface RecordStep {
  readonly position: number;
  readonly version: number;
}

/**
 * What a step of the run writes to Postgres, in one transaction: everything as it stands, not what has changed. The
 * step before it may never have been written, or may have been written otherwise by a try that was lost.
 */
export interface RunRecord extends RecordStep, RunRows {
  readonly orderId: string;
  /** The step that it follows; null: what was written before this run began stands. */
  readonly follows: RecordStep | null;
  /** Null: as it was when this run began. */
  readonly financialStatus: FinancialStatus | null;
  readonly effects: readonly RunEffect[];
  /** Postbacks taken in by this step. */
  readonly handledPostbacks: readonly string[];
  readonly refusal: {
    readonly code: string;
    readonly reason: string;
    readonly details: object | null;
  } | null;
}

/** Names and shapes of the messages a run takes; the workflow defines them, the API and the outbox send them. */
export const ORDER_UPDATES = {
  dispatch: 'dispatch',
  changeShipping: 'changeShipping',
  cancel: 'cancel',
  repair: 'repair',
} as const;
export const ORDER_QUERIES = { runState: 'runState' } as const;

export interface DispatchResult {
  readonly shipmentId: string;
}

export interface CancelRequest {
  readonly by: string;
  readonly reason: string;
}

/** An operator's act on a run that waits for one. */
export type RepairRequest = {
  readonly by: string;
  readonly reason: string;
} & (
  | { readonly action: 'hold' | 'release' }
  | { readonly action: 'retry'; readonly itemIds: readonly string[] }
  | {
      readonly action: 'reroute' | 'reproduce';
      readonly itemId: string;
      /** Units; all of them when null. */
      readonly quantity: number | null;
      /** Null: routing chooses. */
      readonly partnerId: string | null;
    }
  | { readonly action: 'cancel'; readonly itemIds: readonly string[] }
);

/** Types of the failures with which a run refuses a message; the API turns them into answers. */
export const RUN_REFUSALS = {
  conflict: 'Conflict',
  notReady: 'NotReady',
  unavailable: 'Unavailable',
  carrier: 'CarrierRefused',
  invalid: 'Invalid',
} as const;
