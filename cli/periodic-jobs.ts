import { RECONCILIATION } from '../src/orders/reconciliation/job';
import { STOCK_POLL } from '../src/partners/stock-poll-job';
import { MAINTENANCE } from '../src/platform/temporal/maintenance-job';
import { ERASURE } from '../src/privacy/erasure-job';
import { TRACKING_SWEEP } from '../src/shipping/tracking-sweep/job';

/** All periodic jobs. */
export const PERIODIC_JOBS = [STOCK_POLL, TRACKING_SWEEP, RECONCILIATION, MAINTENANCE, ERASURE] as const;
