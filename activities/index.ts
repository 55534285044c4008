import { createOrderRunActivities, type OrderRunDeps } from './order-run';
import { createPartnerStockActivities } from './partner-stock';
import { createProcurementActivities } from './procurement';
import { createShippingActivities } from './shipping';

export type ActivityDeps = OrderRunDeps;

/** Every activity, with what they work with; one set for each worker process. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...createOrderRunActivities(deps),
    ...createPartnerStockActivities(deps),
    ...createProcurementActivities(deps),
    ...createShippingActivities(deps),
  };
}
