import { WORKFLOW_TYPES } from '../platform/domain/workflows';
import type { PeriodicJob } from '../platform/temporal/periodic-jobs';

/** Periodic job that polls partners for their stock. */
export const STOCK_POLL: PeriodicJob = {
  name: 'partner-stock-poll',
  workflowType: WORKFLOW_TYPES.partnerStockPoll,
  everyMs: 10 * 60_000,
};
