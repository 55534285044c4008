import { Context } from '@temporalio/activity';
import { pruneIdempotencyKeys } from '../src/accounts/idempotency-keys';
import { type Collected, collectGarbage } from '../src/files/retention';
import { pruneDeliveries } from '../src/notifications/delivery-log';
import type { Logger } from '../src/platform/logging';
import type { ObjectStore } from '../src/platform/objects/object-store';
import type { Sql } from '../src/platform/postgres';

export interface MaintenanceDeps {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

const BEAT_MS = 10_000;

/** Heartbeats while the work lasts: a worker that dies at it is noticed within a minute. */
async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** What goes when its days are over. Each works in batches and may be tried again, or run twice at once. */
export function createMaintenanceActivities({ sql, objects, log }: MaintenanceDeps) {
  return {
    async pruneIdempotencyKeys(): Promise<number> {
      const pruned = await beating(() => pruneIdempotencyKeys(sql));
      log.info({ pruned }, 'answers under Idempotency-Keys pruned');
      return pruned;
    },
    async pruneDeliveries(): Promise<number> {
      const pruned = await beating(() => pruneDeliveries(sql));
      log.info({ pruned }, 'settled notification deliveries pruned');
      return pruned;
    },
    async collectGarbage(): Promise<Collected> {
      const collected = await beating(() => collectGarbage(sql, objects));
      log.info({ ...collected }, 'files and documents past retention deleted');
      return collected;
    },
  };
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;
