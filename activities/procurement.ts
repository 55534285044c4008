import type { Sql } from '../src/platform/postgres';
import type { ProcurementStatus, ProcurementStep, StepOutcome } from '../src/procurement/domain/procurement-order';
import { flagOverdue, procurementStatus, takeProcurementStep } from '../src/procurement/procurement-steps';

/** Database activities of the procurement order workflow. Each can be retried any number of times. */
export function createProcurementActivities({ sql }: { readonly sql: Sql }) {
  return {
    async procurementOrderStatus(orderId: number): Promise<ProcurementStatus | null> {
      return await procurementStatus(sql, orderId);
    },
    async takeProcurementStep(orderId: number, step: ProcurementStep): Promise<StepOutcome> {
      return await takeProcurementStep(sql, orderId, step);
    },
    async flagOverdueProcurementOrder(orderId: number, status: ProcurementStatus, days: number): Promise<void> {
      await flagOverdue(sql, orderId, status, days);
    },
  };
}

export type ProcurementActivities = ReturnType<typeof createProcurementActivities>;
