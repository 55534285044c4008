import { hasOperatorRole } from '../../../src/accounts/account';
import { latestChange, latestProblem } from '../../../src/orders/domain/change-outcome';
import { type ShownDeadline, shownDeadlines } from '../../../src/orders/domain/lifecycle/rules/deadlines';
import { DECISION_NEXT_STEP, DRAFT_NEXT_STEP, nextStepOf } from '../../../src/orders/domain/lifecycle/rules/next-step';
import { impossibleRepairs, REVIVE, repairsOfEnded } from '../../../src/orders/domain/lifecycle/rules/possible-repairs';
import { initialRunState, type RunState } from '../../../src/orders/domain/lifecycle/run-state';
import { DEPARTED, ENDED_ORDERS } from '../../../src/orders/domain/lifecycle/statuses';
import type { RunView } from '../../../src/orders/domain/run/run-messages';
import { takesRefunds } from '../../../src/orders/planning/ended-refunds';
import { withRows } from '../../../src/orders/reading/archived-tables';
import type { OperatorOrder } from '../../../src/orders/reading/operator-order-schemas';
import { operatorOrderSchema, runView, storedOrderView } from '../../../src/orders/reading/operator-order-view';
import { operatorOrder } from '../../../src/orders/reading/operator-orders';
import { possibleRepairsOf } from '../../../src/orders/reading/possible-repairs';
import type { RunGateway } from '../../../src/orders/run/gateway';
import { storedRun } from '../../../src/orders/run/snapshots';
import { routingDecisions } from '../../../src/partners/routing-rows';
import { orderWorkflowId } from '../../../src/platform/domain/workflows';
import { Refusal } from '../../../src/platform/errors';
import { orderPage, workflowPage } from '../../../src/platform/http/operator-page-urls';
import type { ApiDeps } from '../../deps';
import { type Route, route } from '../../http/route';
import { forOrder, visibleRows } from '../../orders/visible-order';

/** Returns the state of the order's workflow. `missing`: there is no workflow. `unavailable`: no worker responds. */
async function runViewOf(runs: RunGateway, orderId: string): Promise<RunView | 'missing' | 'unavailable'> {
  try {
    return await runs.state(orderId);
  } catch (error) {
    if (error instanceof Refusal) return error.code === 'CONFLICT' ? 'missing' : 'unavailable';
    throw error;
  }
}

/**
 * Returns the ids of the items of an ended order of which units can be refunded: those of which partners have cancelled units,
 * or else every item that was delivered or returned.
 */
function refundableItemsOf({
  printOrders,
  items,
  attention,
  fulfillmentStatus,
  financialStatus,
}: OperatorOrder): string[] {
  const short = printOrders.flatMap(({ jobs }) => jobs.filter(({ cancelledQuantity }) => cancelledQuantity > 0));
  if (attention.includes('short_shipped') && short.length > 0) return [...new Set(short.map(({ itemId }) => itemId))];
  if (!takesRefunds(fulfillmentStatus, financialStatus)) return [];
  return items.flatMap(({ id, fulfillmentStatus: status }) => (status === 'cancelled' ? [] : [id]));
}

/** Returns the ids of the items of an ended order of which units have shipped. */
const shippedItemsOf = ({ printOrders }: OperatorOrder): string[] => {
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs);
  return [...new Set(jobs.flatMap(({ itemId, status }) => (DEPARTED_STATUSES.includes(status) ? [itemId] : [])))];
};

const DEPARTED_STATUSES: readonly string[] = DEPARTED;

const CLOSED: RunState = { ...initialRunState([]), phase: 'closed' };

/** Returns the state of the run as its workflow has it or, without a response, as its last record stored it. */
async function stateOf(
  { sql, runSettings }: ApiDeps,
  orderId: string,
  run: RunView | 'missing' | 'unavailable',
): Promise<{ readonly state: RunState; readonly deadlines: readonly ShownDeadline[] }> {
  if (typeof run === 'object') return { state: run, deadlines: run.deadlines };
  const snapshot = (await storedRun(sql, orderId))?.snapshot;
  if (snapshot == null) return { state: CLOSED, deadlines: [] };
  const { state, clock } = snapshot;
  return { state, deadlines: shownDeadlines(state, clock, runSettings) };
}

export function orderDetailRoute(deps: ApiDeps): Route {
  const { sql, runs, config, publicUrl } = deps;
  return route('GET /v1/operator/orders/{orderId}', {
    ...forOrder('viewer'),
    operationId: 'getOperatorOrder',
    summary: 'Retrieve an order as operators see it',
    description:
      'Returns print orders with their postbacks and labels, parcels, the routing decisions, the attention reasons, the ' +
      'complete event log with the repairs of operators, the state of the workflow, the repairs that are possible now, why ' +
      'the others are not, and who has to act next. While no worker responds, `run` is null, and the rest follows from Postgres.',
    response: operatorOrderSchema,
    handler: async ({ params: { orderId }, account }) => {
      const { id, archived } = await visibleRows(deps, account, orderId);
      const [order, decisions, run, failingSteps] = await Promise.all([
        operatorOrder(sql, id, archived),
        routingDecisions(sql, id, withRows(sql, archived)),
        runViewOf(runs, id),
        runs.failingSteps(id).catch((error: unknown) => {
          if (error instanceof Refusal) return [];
          throw error;
        }),
      ]);
      if (order === null) throw new Refusal('NOT_FOUND');
      const { state, deadlines } = await stateOf(deps, id, run);
      const hasEnded = ENDED_ORDERS.includes(order.fulfillmentStatus) || order.trackingEndedAt !== null;
      const isDraft = order.fulfillmentStatus === 'draft';
      const repairs = async () => {
        if (!hasOperatorRole(account, 'operator')) return { possibleRepairs: [], impossibleRepairs: [] };
        const none = (reason: string) => ({
          possibleRepairs: [],
          impossibleRepairs: impossibleRepairs([], state, reason),
        });
        if (isDraft) return none('the order is a draft, which its client submits');
        if (order.archived) return none('the order is archived');
        if (hasEnded) {
          const { fulfillmentStatus, attention } = order;
          const refundable = refundableItemsOf(order);
          const possibleRepairs = repairsOfEnded(fulfillmentStatus, attention, refundable, shippedItemsOf(order));
          return { possibleRepairs, impossibleRepairs: impossibleRepairs(possibleRepairs, CLOSED) };
        }
        if ((await runs.goneRun(id)) !== null) {
          const others = none('the workflow of the order is gone: an admin can revive it');
          return hasOperatorRole(account, 'admin') ? { ...others, possibleRepairs: [REVIVE] } : others;
        }
        if (run === 'missing') return none('the workflow of the order has not started yet');
        const possibleRepairs = await possibleRepairsOf(deps, id, state);
        return { possibleRepairs, impossibleRepairs: impossibleRepairs(possibleRepairs, state) };
      };
      const view = storedOrderView(order);
      const needsAttention = order.attention.length > 0;
      const hasClaim = order.attention.includes('claim');
      const deliveryBy = view.promise === null ? null : `${view.promise.maxDeliveryDate}T23:59:59Z`;
      const step = isDraft ? DRAFT_NEXT_STEP : nextStepOf(hasEnded ? CLOSED : state, deadlines, deliveryBy);
      // The run may not have heard of a claim yet.
      const needsDecision = step.who === 'nobody' ? needsAttention : step.who !== 'operator' && hasClaim;
      return {
        ...view,
        consoleUrl: orderPage(publicUrl, id),
        temporalUrl: workflowPage(config, orderWorkflowId(id)),
        nextStep: needsDecision ? DECISION_NEXT_STEP : step,
        latestChange: latestChange(order),
        problem: needsAttention ? latestProblem(order) : null,
        failingSteps,
        ...(await repairs()),
        routing: decisions ?? [],
        run: typeof run === 'object' ? runView(run) : null,
      };
    },
  });
}
