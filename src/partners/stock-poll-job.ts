import type { Round } from '../platform/temporal/periodic-jobs';

/** How often partners are asked for their stock (DESIGN "Stock poll"). */
export const STOCK_POLL: Round = {
  name: 'partner-stock-poll',
  workflowType: 'partnerStockPoll',
  everyMs: 10 * 60_000,
};
