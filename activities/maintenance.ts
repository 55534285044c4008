import { pruneIdempotencyKeys } from '../src/accounts/idempotency-keys';
import { collectGarbage } from '../src/files/retention';
import { pruneDeliveries } from '../src/notifications/delivery-log';
import { pruneBulkRepairs } from '../src/orders/bulk-repairs/bulk-repair-rows';
import { prunePartnerRequests } from '../src/partners/requests';
import type { Logger } from '../src/platform/logging';
import type { ObjectStore } from '../src/platform/objects/object-store';
import type { Sql } from '../src/platform/postgres';
import { withHeartbeat } from './heartbeats';

export interface MaintenanceDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/** Activities that delete expired data. Each works in batches, can be retried, and can run twice at the same time. */
export function createMaintenanceActivities({ sql, objects, log }: MaintenanceDeps) {
  return {
    async pruneIdempotencyKeys(): Promise<number> {
      const pruned = await withHeartbeat(() => pruneIdempotencyKeys(sql));
      log.info({ pruned }, 'expired idempotency keys deleted');
      return pruned;
    },
    /** Deletes old deliveries to clients, requests to partners and bulk repairs. */
    async pruneDeliveries(): Promise<number> {
      const pruned = await withHeartbeat(() => pruneDeliveries(sql));
      log.info({ pruned }, 'old notification deliveries deleted');
      // Part of this activity: one of its own would change the workflow, which stored histories have to repeat.
      const requests = await withHeartbeat(() => prunePartnerRequests(sql));
      log.info({ pruned: requests }, 'old requests to partners deleted');
      const repairs = await withHeartbeat(() => pruneBulkRepairs(sql));
      return pruned + requests + repairs;
    },
    async collectGarbage() {
      const collected = await withHeartbeat(() => collectGarbage(sql, objects));
      log.info({ ...collected }, 'expired files and documents deleted');
      return collected;
    },
  };
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
