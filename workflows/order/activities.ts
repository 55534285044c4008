import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { OrderRunActivities } from '../../activities/order-run';

/** Activity proxies of the order workflow, with their time-outs and retry policies. */

/** Database-only activities. They are local, and retried until Postgres answers. */
export const database = proxyLocalActivities<
  Pick<
    OrderRunActivities,
    'prepareOrder' | 'recordRun' | 'applyShippingChange' | 'planReplacement' | 'checkTracking'
  >
>({
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '30 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Messages to partners. Retried about 5 s after the first failure, doubling to 10 minutes, for 24 hours. */
export const partner = proxyActivities<
  Pick<OrderRunActivities, 'deliverPrintOrder' | 'deliverOrderUpdate' | 'cancelAtPartner'>
>({
  startToCloseTimeout: '40 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Labels. The partner waits for them, so transient failures are retried for two minutes only. */
export const carrier = proxyActivities<Pick<OrderRunActivities, 'dispatchPrintOrder'>>({
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '20 seconds' },
});

/** Voiding of labels. Retried for a day: an unused label costs money. */
export const voiding = proxyActivities<Pick<OrderRunActivities, 'voidOrderShipment'>>({
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Print files and packing slips. The activity decides itself how long and when it is retried. */
export const files = proxyActivities<Pick<OrderRunActivities, 'fetchOrderFiles'>>({
  startToCloseTimeout: '40 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});
