import type { SubmissionDeps } from '../src/channels/submission';
import type { BulkRepairDeps } from '../src/orders/upkeep/repair-order';
import { createBulkRepairActivities } from './bulk-repair';
import { createChannelActivities } from './channels';
import { createMaintenanceActivities, type MaintenanceDeps } from './maintenance';
import { createOrderRunActivities, type OrderRunDeps } from './order-run';
import { createPartnerStockActivities } from './partner-stock';
import { createPersonalDataActivities, type PersonalDataDeps } from './personal-data';
import { createPreflightActivities } from './preflight';
import { createProcurementActivities } from './procurement';
import { createReconcileActivities, type ReconcileActivityDeps } from './reconcile';
import { createShippingActivities } from './shipping';

export type ActivityDeps = OrderRunDeps &
  ReconcileActivityDeps &
  PersonalDataDeps &
  BulkRepairDeps &
  MaintenanceDeps &
  SubmissionDeps;

export function createActivities(deps: ActivityDeps) {
  return {
    ...createBulkRepairActivities(deps),
    ...createChannelActivities(deps),
    ...createMaintenanceActivities(deps),
    ...createOrderRunActivities(deps),
    ...createPartnerStockActivities(deps),
    ...createPersonalDataActivities(deps),
    ...createPreflightActivities(deps),
    ...createProcurementActivities(deps),
    ...createReconcileActivities(deps),
    ...createShippingActivities(deps),
  };
}
