import { createMaintenanceActivities } from './maintenance';
import { createOrderRunActivities, type OrderRunDeps } from './order-run';
import { createPartnerStockActivities } from './partner-stock';
import { createProcurementActivities } from './procurement';
import { createReconcileActivities, type ReconcileActivityDeps } from './reconcile';
import { createShippingActivities } from './shipping';

export type ActivityDeps = OrderRunDeps & ReconcileActivityDeps;

/** Every activity, with what they work with; one set for each worker process. */
export function createActivities(deps: ActivityDeps) {
  return {
    ...createMaintenanceActivities(deps),
    ...createOrderRunActivities(deps),
    ...createPartnerStockActivities(deps),
    ...createProcurementActivities(deps),
    ...createReconcileActivities(deps),
    ...createShippingActivities(deps),
  };
}
