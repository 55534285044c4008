import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { OrderRunActivities } from '../../activities/order-run';

/** Database-only steps: local, tried until Postgres answers. */
export const database = proxyLocalActivities<
  Pick<OrderRunActivities, 'prepareOrder' | 'recordRun' | 'applyShippingChange' | 'planReplacement'>
>({
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '30 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Deliveries to a partner: about 5 s after the first failure, doubling to 10 minutes, for 24 hours. */
export const partner = proxyActivities<Pick<OrderRunActivities, 'deliverPrintOrder' | 'cancelAtPartner'>>({
  startToCloseTimeout: '40 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Labels: the partner waits for them, so passing faults are tried for two minutes only. */
export const carrier = proxyActivities<Pick<OrderRunActivities, 'dispatchPrintOrder'>>({
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '20 seconds' },
});

/** Voids must go through in the end: a label that nobody uses still costs money. */
export const voiding = proxyActivities<Pick<OrderRunActivities, 'voidOrderShipment'>>({
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});

/** Print files and packing slips: the activity itself knows how long it tries and when it tries again. */
export const files = proxyActivities<Pick<OrderRunActivities, 'fetchOrderFiles'>>({
  startToCloseTimeout: '40 minutes',
  heartbeatTimeout: '60 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});
