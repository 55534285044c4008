import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { ActivityInterceptors } from '@temporalio/worker';
import { LRUCache } from 'lru-cache';
import { flagOrder } from '../../src/orders/run/flags';
import { cutText } from '../../src/platform/domain/foreign-text';
import { orderIdOfWorkflow } from '../../src/platform/domain/workflows';
import type { Logger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';

export interface StallDeps {
  readonly sql: Sql;
  readonly log: Logger;
  /** Milliseconds from the first attempt of a step until its order is flagged. */
  readonly stallAfterMs: number;
}

const LONGEST_MESSAGE = 500;
const NOT_ENDED = 'it has not ended yet';
const REMEMBERED = 10_000;

/**
 * Returns the interceptor that flags the order of an activity as `stalled` when the activity has not succeeded a given time
 * after its first attempt was scheduled, or will not have, because the next attempt comes later. The flag has the step and
 * the error of the latest attempt; another error than before replaces it at most once in the given time, because errors can
 * differ with each attempt. An attempt that goes on beyond the time is flagged too, also when earlier attempts ended
 * with their worker. An order that has ended is not flagged: its run may have left the activity behind. Reconciliation flags
 * the orders of activities that no worker executes (`flagStuckRuns`).
 */
export function flagStalls({ sql, log, stallAfterMs }: StallDeps): (context: Context) => ActivityInterceptors {
  // Temporal does not tell when a local activity was first scheduled, and its id changes. A run has one of a type at a time.
  const failingSince = new LRUCache<string, number>({ max: REMEMBERED });
  return ({ info }) => {
    const orderId = orderIdOfWorkflow(info.workflowExecution?.workflowId ?? '');
    if (orderId === null) return {};
    const flag = async (problem: string) => {
      const message = cutText(`${info.activityType}: ${problem}`, LONGEST_MESSAGE, '…');
      const replaces = { text: `${info.activityType}: ${NOT_ENDED}`, olderThanMs: stallAfterMs };
      const options = { unlessEnded: true, ...(problem === NOT_ENDED ? {} : { replaces }) };
      await flagOrder(sql, orderId, 'stalled', message, options).catch((error: unknown) =>
        log.error({ err: error, orderId, message }, 'a stalled order was not flagged'),
      );
    };
    const key = `${info.workflowExecution?.runId} ${info.activityType}`;
    const since = (info.isLocal ? failingSince.get(key) : undefined) ?? info.scheduledTimestampMs;
    const dueAt = since + stallAfterMs;
    return {
      inbound: {
        async execute(input, next) {
          const waitMs = Math.max(dueAt - Date.now(), stallAfterMs / 10);
          const timer = setTimeout(() => void flag(NOT_ENDED), waitMs).unref();
          try {
            const result = await next(input);
            if (info.isLocal) failingSince.delete(key);
            return result;
          } catch (error) {
            if (info.isLocal) failingSince.set(key, since);
            if (Date.now() + delayOf(error) >= dueAt)
              await flag(error instanceof Error ? error.message : String(error));
            throw error;
          } finally {
            clearTimeout(timer);
          }
        },
      },
    };
  };
}

/** Returns the time that the other side names before the next attempt, in milliseconds. */
function delayOf(error: unknown): number {
  return error instanceof ApplicationFailure && error.nextRetryDelay != null ? msToNumber(error.nextRetryDelay) : 0;
}
