import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { PostbackEvent, RunEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { RunState } from '../../src/orders/domain/lifecycle/run-state';
import type { OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import {
  type CancelRequest,
  type DispatchResult,
  ORDER_QUERIES,
  ORDER_UPDATES,
  type RepairRequest,
} from '../../src/orders/domain/run/run-messages';
import { ORDER_SIGNALS } from '../../src/platform/domain/workflows';

/** A partner's postback, stored in the inbox before. */
export const postbackSignal = defineSignal<[PostbackEvent]>(ORDER_SIGNALS.postback);

/** A parcel's status changed (interface "Shipping order, quote and tracking structures"). */
export const trackingSignal = defineSignal<[Extract<RunEvent, { type: 'tracking' }>]>(ORDER_SIGNALS.tracking);

/** A partner is ready for dispatch; answers when the documents exist. */
export const dispatchUpdate = defineUpdate<DispatchResult, [{ printOrderId: string }]>(
  ORDER_UPDATES.dispatch,
);

/** A change of address or method that stands in Postgres under this id. */
export const changeShippingUpdate = defineUpdate<{ revision: number }, [{ changeId: string }]>(
  ORDER_UPDATES.changeShipping,
);

/** The client's wish to cancel the order. */
export const cancelUpdate = defineUpdate<{ fulfillmentStatus: OrderStatus }, [CancelRequest]>(
  ORDER_UPDATES.cancel,
);

/** An operator's act. */
export const repairUpdate = defineUpdate<{ fulfillmentStatus: OrderStatus }, [RepairRequest]>(
  ORDER_UPDATES.repair,
);

/** The run's whole state, for operators and tests. */
export const runStateQuery = defineQuery<RunState>(ORDER_QUERIES.runState);
