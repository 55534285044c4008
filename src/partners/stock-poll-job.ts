import { WORKFLOW_TYPES } from '../platform/domain/workflows';
import type { PeriodicJob } from '../platform/temporal/periodic-jobs';

/** How often partners are asked for their stock (DESIGN "Stock poll"). */
export const STOCK_POLL: PeriodicJob = {
  name: 'partner-stock-poll',
  workflowType: WORKFLOW_TYPES.partnerStockPoll,
  everyMs: 10 * 60_000,
};
