import { tidyAuditLog } from '../src/accounts/audit-log';
import { prunePurchases } from '../src/carriers/built-in';
import { collectGarbage } from '../src/files/retention';
import { pruneDeadMessages } from '../src/notifications/delivery-log';
import { prunePreflights } from '../src/orders/production/preflights';
import { storeDaySums } from '../src/orders/reading/day-sums';
import { archiveOrders } from '../src/orders/upkeep/archive-orders';
import { pruneBulkRepairs } from '../src/orders/upkeep/bulk-repair-rows';
import type { Config } from '../src/platform/config';
import type { Logger } from '../src/platform/logging/logging';
import type { ObjectStore } from '../src/platform/objects/object-store';
import type { Sql } from '../src/platform/postgres';
import { createPartitions, dropExpiredPartitions } from '../src/platform/schema/partitioned-tables';
import { withHeartbeat } from './heartbeats';

export interface MaintenanceDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly config: Pick<Config, 'AUDIT_LOG_RETENTION' | 'ARCHIVE_AFTER'>;
}

/**
 * Activities that delete expired data, and add up orders for reports. Each works in batches, can be retried, and can run twice at
 * the same time.
 */
export function createMaintenanceActivities({ sql, objects, log, config }: MaintenanceDeps) {
  return {
    /** Creates partitions ahead, and drops those whose rows have expired (src/platform/schema/partitioned-tables.ts). */
    async renewPartitions() {
      const created = await withHeartbeat(() => createPartitions(sql));
      const { partitions, lateRows } = await withHeartbeat(() =>
        dropExpiredPartitions(sql, config.AUDIT_LOG_RETENTION),
      );
      log.info({ created, dropped: partitions, lateRows }, 'partitions created and dropped');
      return { partitions, lateRows };
    },
    /** Deletes the dead messages of deliveries that are gone. */
    async pruneDeadMessages(): Promise<number> {
      return await withHeartbeat(() => pruneDeadMessages(sql));
    },
    /** Deletes old bulk repairs, preflights and addresses of the audit log. */
    async pruneBulkRepairs(): Promise<number> {
      const repairs = await withHeartbeat(() => pruneBulkRepairs(sql));
      const addresses = await withHeartbeat(() => tidyAuditLog(sql));
      log.info({ deleted: addresses }, 'old addresses of the audit log deleted');
      return repairs + (await withHeartbeat(() => prunePreflights(sql)));
    },
    /**
     * Deletes expired files and documents, and old purchases at built-in carriers; moves old orders to the archive. Files that
     * cannot be deleted do not stop the others.
     */
    async collectGarbage() {
      const [garbage] = await Promise.allSettled([withHeartbeat(() => collectGarbage(sql, objects))]);
      const carrierPurchases = await withHeartbeat(() => prunePurchases(sql));
      const { ARCHIVE_AFTER: age } = config;
      const archivedOrders =
        age === undefined ? 0 : await withHeartbeat(() => archiveOrders({ sql, objects }, new Date(Date.now() - age)));
      if (garbage.status === 'rejected') throw garbage.reason;
      const removed = { ...garbage.value, carrierPurchases, archivedOrders };
      log.info(removed, 'expired files and documents deleted, orders archived');
      return removed;
    },
    /** Adds up the orders of each day for reports. Returns the number of days. */
    async sumReports(): Promise<number> {
      const days = await withHeartbeat(() => storeDaySums({ sql, objects }));
      log.info({ days }, 'orders added up for reports');
      return days;
    },
  };
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
