import type { Sql } from '../src/platform/postgres';
import type { ProcurementStatus, ProcurementStep } from '../src/procurement/domain/procurement-order';
import { flagOverdue, procurementStatus, takeProcurementStep } from '../src/procurement/procurement-steps';

/** Database activities of the procurement order workflow. Each can be retried any number of times. */
export function createProcurementActivities({ sql }: { readonly sql: Sql }) {
  return {
    procurementOrderStatus: (orderId: number) => procurementStatus(sql, orderId),
    takeProcurementStep: (orderId: number, step: ProcurementStep) => takeProcurementStep(sql, orderId, step),
    flagOverdueProcurementOrder: (orderId: number, status: ProcurementStatus, days: number): Promise<void> =>
      flagOverdue(sql, orderId, status, days),
  };
}

export type ProcurementActivities = ReturnType<typeof createProcurementActivities>;
