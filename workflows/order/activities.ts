import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { OrderRunActivities } from '../../activities/order-run';

/** Activity proxies of the order workflow, with their timeouts and retry policies. */

/**
 * Records of steps. They are local activities, and retried until Postgres responds. All attempts within one workflow task end
 * before the task's second heartbeat: after two failures a timer of the server waits for the next attempt, and the task
 * completes. Statements have a shorter timeout (`RECORD_STATEMENT_TIMEOUT_MS`).
 */
export const records = proxyLocalActivities<Pick<OrderRunActivities, 'recordRun'>>({
  startToCloseTimeout: '5 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 3, maximumInterval: '30 seconds' },
});

/**
 * Plans of orders, changes and reroutes, and a look at the parcels. Plans call carriers over HTTP, each for at most five seconds,
 * and are retried until a plan is stored or refused. Withdrawing print jobs waits for no partner's share.
 */
export const planning = proxyActivities<
  Pick<
    OrderRunActivities,
    'prepareOrder' | 'applyShippingChange' | 'planReroute' | 'replanShipments' | 'checkTracking' | 'withdrawPrintJobs'
  >
>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/**
 * Messages to partners. Retried about 5 s after the first failure, doubling to 10 minutes, for 24 hours. The partner is their
 * fairness key, which `shareSlots` needs with a heartbeat timeout.
 */
const MESSAGES = {
  startToCloseTimeout: '40 seconds',
  heartbeatTimeout: '40 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
} as const;
export const partner = proxyActivities<Pick<OrderRunActivities, 'deliverOrderUpdate' | 'cancelAtPartner'>>(MESSAGES);

/** Print orders. A cancelled delivery ends with the call that is under way, and at once without a call. */
export const delivery = proxyActivities<Pick<OrderRunActivities, 'deliverPrintOrder'>>({
  ...MESSAGES,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/**
 * Labels. An attempt takes as long as its packages need, at most eight seconds for each call to the carrier. The partner
 * waits for them, so the activity limits the time of retries.
 */
export const carrier = proxyActivities<Pick<OrderRunActivities, 'dispatchPrintOrder'>>({
  scheduleToStartTimeout: '2 minutes',
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '20 seconds' },
});

/** Voiding of labels. Retried for a day: an unused label costs money. */
export const voiding = proxyActivities<Pick<OrderRunActivities, 'voidOrderShipment'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '30 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/**
 * Print files and packing slips, then the plan. The caller names their own queue: hosts that send nothing hold its slots, not
 * those of deliveries and labels. The activity decides itself how long and when it is retried.
 */
export const files = proxyActivities<Pick<OrderRunActivities, 'fetchOrderFiles'>>({
  startToCloseTimeout: '40 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});
