import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ORDER_STATUSES } from '../../src/orders/domain/lifecycle/statuses';
import { attentionCounts, countOrdersNeedingAttention } from '../../src/orders/reading/attention-counts';
import { attentionReason } from '../../src/orders/reading/operator-order-schemas';
import { orderStages, type StagePeriod } from '../../src/orders/reading/order-stages';
import { timestamp } from '../../src/platform/domain/fields';
import { COUNTED_ROWS, readOutboxSizes } from '../../src/platform/outbox/messages';
import { OUTBOX_KINDS } from '../../src/platform/outbox/outbox';
import { readRunningTotals } from '../../src/platform/running-totals';
import { readTaskQueue, type TaskQueueState } from '../../src/platform/temporal/connection';
import { readJobResults } from '../../src/platform/temporal/periodic-jobs';
import type { ApiDeps } from '../deps';
import { forOperators, type Route, route } from '../http/route';
import { jobSchema } from './system';

/** Lifetime of the counts: all consoles of a process share one reading. Changes show within 5 s. */
const COUNTS_MS = 2_000;

/** The figures of the summary that are in Postgres. */
export type LiveCounts = () => Promise<Counts>;
type Counts = Awaited<ReturnType<typeof readCounts>>;

/** Creates the reading that the summary and the stream of changes share. */
export function createLiveCounts(deps: Pick<ApiDeps, 'sql' | 'jobs'>): LiveCounts {
  // Concurrent calls share one fetch, so that the cost does not grow with the number of consoles. A failed one is not cached.
  const cache = new LRUCache<'counts', Counts>({
    max: 1,
    ttl: COUNTS_MS,
    fetchMethod: () => readCounts(deps),
  });
  return () => cache.forceFetch('counts');
}

async function readCounts({ sql, jobs }: Pick<ApiDeps, 'sql' | 'jobs'>) {
  const at = new Date();
  const [orders, attention, needingAttention, outbox, results, stages] = await Promise.all([
    readRunningTotals(sql, 'orders'),
    attentionCounts(sql),
    countOrdersNeedingAttention(sql),
    readOutboxSizes(sql),
    readJobResults(sql, jobs),
    orderStages(sql),
  ]);
  return { at, orders, attention, needingAttention, outbox, results, stages };
}

/** Lifetime of the list of workers. Temporal itself notices an unavailable worker only after minutes. */
const WORKERS_MS = 5_000;
const WORKERS_TIMEOUT_MS = 2_000;
/** Time that a summary waits for Temporal. A later response is in the next summary. */
const WORKERS_WAIT_MS = 250;

const seconds = z.number().nonnegative();
const period = z.object({
  from: timestamp.describe('Start of the hour or day in UTC.'),
  stages: z.array(
    z.object({
      status: z.enum(ORDER_STATUSES),
      orders: z.int().describe('Orders that reached the status.'),
      averageSeconds: seconds.describe('Average time since these orders were placed.'),
    }),
  ),
});

const summary = z
  .object({
    at: timestamp.describe('Time of the counts.'),
    orders: z.array(z.object({ status: z.enum(ORDER_STATUSES), count: z.int() })).describe('Every status.'),
    attention: z
      .array(z.object({ reason: attentionReason, count: z.int(), oldestSeconds: seconds }))
      .describe('The reasons that orders have now. An order with several reasons counts for each.'),
    ordersNeedingAttention: z.int().describe('Each order counts once.'),
    outbox: z
      .array(
        z.object({
          kind: z.enum(OUTBOX_KINDS),
          pending: z.int(),
          oldestPendingSeconds: seconds.nullable(),
          dead: z.int(),
          oldestDeadSeconds: seconds.nullable(),
        }),
      )
      .describe(`Every kind of message. Counts end at ${COUNTED_ROWS}.`),
    jobs: z.array(jobSchema),
    workers: z
      .object({
        taskQueue: z.string(),
        pollers: z
          .array(
            z.object({
              identity: z.string(),
              types: z.array(z.enum(['workflow', 'activity'])),
              lastSeenAt: timestamp,
            }),
          )
          .describe('Workers that asked for tasks in the last minutes.'),
        backlog: z
          .object({ workflow: z.int().nullable(), activity: z.int().nullable() })
          .describe('Tasks that wait for a worker. Null: not known.'),
      })
      .nullable()
      .describe('Null while Temporal does not respond.'),
    hours: z.array(period).describe('The last 48 hours, oldest first. Hours without a change are left out.'),
    days: z.array(period).describe('The last 60 days in UTC, oldest first. Days without a change are left out.'),
  })
  .meta({ id: 'OperatorSummary' });

const periodView = ({ from, stages }: StagePeriod) => ({
  from,
  stages: stages.map((stage) => ({ ...stage, averageSeconds: Number(stage.averageSeconds) })),
});

export function summaryRoutes(
  { temporal, config, log }: Pick<ApiDeps, 'temporal' | 'config' | 'log'>,
  counts: LiveCounts,
): Route[] {
  const taskQueue = config.TEMPORAL_TASK_QUEUE;
  const queue = new LRUCache<'queue', { readonly state: TaskQueueState | null }>({
    max: 1,
    ttl: WORKERS_MS,
    fetchMethod: async () => ({
      state: await readTaskQueue(temporal, taskQueue, WORKERS_TIMEOUT_MS).catch((error: unknown) => {
        log.debug({ err: error }, 'the workers of the task queue could not be read');
        return null;
      }),
    }),
  });
  return [
    route('GET /v1/operator/summary', {
      ...forOperators('Operator: system', 'viewer'),
      operationId: 'getOperatorSummary',
      onStandby: true,
      summary: 'Retrieve counts, ages and charts',
      description:
        'Returns orders by status, attention by reason, the outbox, the periodic jobs, the workers, and how many orders reached ' +
        'each status in the last hours and days. The counts are at most two seconds old.',
      response: summary,
      handler: async () => {
        const [read, workers] = await Promise.all([
          counts(),
          Promise.race([queue.forceFetch('queue'), setTimeout(WORKERS_WAIT_MS, null, { ref: false })]),
        ]);
        return {
          at: read.at,
          orders: ORDER_STATUSES.map((status) => ({ status, count: read.orders.get(status) ?? 0 })),
          attention: read.attention.map(({ reason, orders, oldestSeconds }) => ({
            reason,
            count: orders,
            oldestSeconds: Math.max(0, oldestSeconds),
          })),
          ordersNeedingAttention: read.needingAttention,
          outbox: read.outbox,
          jobs: read.results,
          workers: workers?.state ? { taskQueue, ...workers.state } : null,
          hours: read.stages.hours.map(periodView),
          days: read.stages.days.map(periodView),
        };
      },
    }),
  ];
}
