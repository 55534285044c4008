import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { RepairRequest } from '../../src/orders/domain/lifecycle/requests';
import type { EventOf, PostbackEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import {
  type CancelRequest,
  type CancelResult,
  type DispatchResult,
  ORDER_QUERIES,
  ORDER_UPDATES,
  type RunView,
} from '../../src/orders/domain/run/run-messages';
import { ORDER_SIGNALS } from '../../src/platform/domain/workflows';

/** Signals, updates and queries of the order workflow. */

/** A partner's postback. Its row in the inbox is written before the signal is sent. */
export const postbackSignal = defineSignal<[PostbackEvent]>(ORDER_SIGNALS.postback);

/** The tracking status of a parcel changed (schema `Tracking`). */
export const trackingSignal = defineSignal<[EventOf<'tracking'>]>(ORDER_SIGNALS.tracking);

/** Something outside the workflow found a reason for attention. */
export const flaggedSignal = defineSignal<[EventOf<'flagged'>]>(ORDER_SIGNALS.flagged);

/**
 * Print files of the order have other URLs, and the order is to be planned again. With an item: a partner has it, and its new
 * file was checked.
 */
export const filesReplacedSignal = defineSignal<[item?: { readonly itemId: string }]>(ORDER_SIGNALS.filesReplaced);

/** A partner is ready for dispatch. Completes when the documents exist. */
export const dispatchUpdate = defineUpdate<DispatchResult, [{ printOrderId: string }]>(ORDER_UPDATES.dispatch);

/** A change of address or method. Postgres has it under this id. */
export const changeShippingUpdate = defineUpdate<{ revision: number }, [{ changeId: string }]>(
  ORDER_UPDATES.changeShipping,
);

/** The client cancels the order. */
export const cancelUpdate = defineUpdate<CancelResult, [CancelRequest]>(ORDER_UPDATES.cancel);

/** An operator's repair. */
export const repairUpdate = defineUpdate<{ fulfillmentStatus: OrderStatus }, [RepairRequest]>(ORDER_UPDATES.repair);

/** The whole state of the run with its deadlines, for operators and tests. */
export const runStateQuery = defineQuery<RunView>(ORDER_QUERIES.runState);
