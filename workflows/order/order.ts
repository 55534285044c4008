import { defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import type { RepairRequest } from '../../src/orders/domain/lifecycle/requests';
import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyNotRerouteUnits,
} from '../../src/orders/domain/lifecycle/rules/guards';
import type { EventOf, OutsideEvent, PostbackEvent } from '../../src/orders/domain/lifecycle/run-events';
import type { OrderStatus } from '../../src/orders/domain/lifecycle/statuses';
import {
  type CancelRequest,
  type CancelResult,
  type DispatchRequest,
  type DispatchResult,
  ORDER_QUERIES,
  ORDER_UPDATES,
  type OrderRunInput,
  type OrderRunResult,
  type RunView,
} from '../../src/orders/domain/run/run-messages';
import { ORDER_SIGNALS } from '../../src/platform/domain/workflows';
import { ClientChanges } from './client-changes';
import { OrderRun } from './order-run';
import { refuseWith } from './refusals';
import { Repairs } from './repairs';

/** A partner's postback. Its row in the inbox is written before the signal is sent. */
const postbackSignal = defineSignal<[PostbackEvent]>(ORDER_SIGNALS.postback);

const trackingSignal = defineSignal<[EventOf<'tracking'>]>(ORDER_SIGNALS.tracking);

/** Something outside the workflow found a reason for attention, or that a reason no longer exists, or refunded lost units. */
const flaggedSignal = defineSignal<[OutsideEvent]>(ORDER_SIGNALS.flagged);

/**
 * Print files of the order have other URLs, and the order is to be planned again. With an item: a partner has it, and its new
 * file was checked.
 */
const filesReplacedSignal = defineSignal<[item?: { readonly itemId: string }]>(ORDER_SIGNALS.filesReplaced);

/** A partner is ready for dispatch. Completes when the documents exist. */
const dispatchUpdate = defineUpdate<DispatchResult, [DispatchRequest]>(ORDER_UPDATES.dispatch);

/** A change of address or method. Postgres has it under this id. */
const changeShippingUpdate = defineUpdate<{ revision: number }, [{ changeId: string }]>(ORDER_UPDATES.changeShipping);

const cancelUpdate = defineUpdate<CancelResult, [CancelRequest]>(ORDER_UPDATES.cancel);

const repairUpdate = defineUpdate<{ fulfillmentStatus: OrderStatus }, [RepairRequest]>(ORDER_UPDATES.repair);

/** The whole state of the run with its deadlines, for operators and tests. */
const runStateQuery = defineQuery<RunView>(ORDER_QUERIES.runState);

/**
 * Workflow of one order from submission to its end: print files, plan, delivery to partners, postbacks, labels, tracking,
 * and operators' repairs. The workflow id is `order-<orderId>`.
 */
export async function order(input: OrderRunInput): Promise<OrderRunResult> {
  const run = new OrderRun(input);
  const { submission, handover, dispatch } = run;
  const changes = new ClientChanges(run, submission, handover);
  const repairs = new Repairs(run, submission, handover);

  // Signals only add to the inbox. Updates wait for their results. All handlers are set before the first await.
  setHandler(postbackSignal, (event) => run.take(event));
  setHandler(trackingSignal, (event) => run.take(event));
  setHandler(flaggedSignal, (event) => {
    if (event.type === 'flagged') run.stalls.flag(event);
    else run.take(event);
  });
  setHandler(filesReplacedSignal, (item) => {
    if (item === undefined) submission.planAgain();
    else run.take({ type: 'file_replaced', ...item });
  });
  setHandler(dispatchUpdate, (request) => dispatch.request(request), {
    validator: ({ printOrderId }) => refuseWith(whyNotDispatch(run.state, printOrderId)),
  });
  setHandler(changeShippingUpdate, ({ changeId }) => changes.changeShipping(changeId), {
    validator: (_change) => refuseWith(whyNotChangeShipping(run.state)),
  });
  setHandler(cancelUpdate, (request) => changes.cancel(request), {
    validator: ({ itemIds }) => refuseWith(whyNotCancel(run.state, itemIds)),
  });
  setHandler(repairUpdate, (request) => repairs.repair(request), {
    validator: (request) => {
      const isReroute = request.action === 'reroute' || request.action === 'reproduce';
      refuseWith(whyNotRepair(run.state, request) ?? (isReroute ? whyNotRerouteUnits(run.state, request) : null));
    },
  });
  setHandler(runStateQuery, () => run.view);

  return await run.run();
}
