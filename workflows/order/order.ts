import { setHandler } from '@temporalio/workflow';
import {
  whyNotCancel,
  whyNotChangeShipping,
  whyNotDispatch,
  whyNotRepair,
  whyNotRerouteUnits,
} from '../../src/orders/domain/lifecycle/rules/guards';
import type { OrderRunInput, OrderRunResult } from '../../src/orders/domain/run/run-messages';
import { ClientChanges } from './client-changes';
import {
  cancelUpdate,
  changeShippingUpdate,
  dispatchUpdate,
  filesReplacedSignal,
  flaggedSignal,
  postbackSignal,
  repairUpdate,
  runStateQuery,
  trackingSignal,
} from './messages';
import { OrderRun } from './order-run';
import { refuseWith } from './refusals';
import { Repairs } from './repairs';

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
  setHandler(flaggedSignal, (event) => run.stalls.flag(event));
  setHandler(filesReplacedSignal, (item) => {
    if (item === undefined) submission.planAgain();
    else run.take({ type: 'file_replaced', ...item });
  });
  setHandler(dispatchUpdate, ({ printOrderId }) => dispatch.request(printOrderId), {
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
