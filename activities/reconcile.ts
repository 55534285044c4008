import { activityInfo, cancellationSignal, heartbeat, sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { foldOrderStages } from '../src/orders/reading/order-stages';
import { compareOrders, compareRuns, type LostSide, type ReconcileBatch } from '../src/orders/upkeep/compare';
import { type CheckedServers, checkServers, type Servers, settleServers } from '../src/orders/upkeep/known-servers';
import {
  type Counts,
  DIFFERENCES,
  type ReconcileConfig,
  readMark,
  reconcileDeps,
  tally,
  writeMark,
} from '../src/orders/upkeep/reconciliation';
import { settleShipments, voidPurchasesWithoutParcel } from '../src/orders/upkeep/shipments';
import { flagSilentParcels } from '../src/orders/upkeep/silent-parcels';
import { flagFailingRuns, flagStuckRuns } from '../src/orders/upkeep/stuck-runs';
import { redeliverPostbacks, replayDeadSignals, startMissingRuns } from '../src/orders/upkeep/undelivered-messages';
import type { Logger } from '../src/platform/logging/logging';
import type { Metrics } from '../src/platform/metrics/metrics';
import type { Sql } from '../src/platform/postgres';
import { progressed } from '../src/platform/progress';
import { withHeartbeat } from './heartbeats';

export interface ReconcileActivityDeps {
  readonly sql: Sql;
  readonly metrics: Metrics;
  readonly temporal: Client;
  readonly log: Logger;
  readonly config: ReconcileConfig;
}

/** Range of one activity: the cursor to start after, and the number of batches. */
export interface BatchRange {
  readonly after: string;
  readonly batches: number;
}

interface Progress extends Pick<ReconcileBatch, 'counts' | 'next'> {
  readonly done: number;
}

/**
 * Orders or workflows that are compared in a second. A million takes 17 minutes, and the other work of Postgres and
 * Temporal is not delayed. These are two of the 10 list requests a second that a Temporal server accepts for a namespace
 * (`frontend.namespaceRPS.visibility`).
 */
const ROWS_PER_SECOND = 1_000;

/**
 * Processes batches one after the other, at `ROWS_PER_SECOND`. A retry continues after the last batch that the activity has
 * reported in a heartbeat.
 */
async function inBatches(
  { after, batches }: BatchRange,
  step: (after: string) => Promise<ReconcileBatch>,
): Promise<Pick<ReconcileBatch, 'counts' | 'next'>> {
  let progress: Progress = (activityInfo().heartbeatDetails as Progress | undefined) ?? {
    counts: {},
    next: after,
    done: 0,
  };
  const isDone = () => progress.done > 0 && (progress.next === '' || progress.done >= batches);
  await withHeartbeat(
    async () => {
      while (!isDone()) {
        const began = Date.now();
        cancellationSignal().throwIfAborted();
        const { rows, counts, next } = await step(progress.next);
        progress = { counts: tally(progress.counts, counts), next, done: progress.done + 1 };
        heartbeat(progress);
        if (next !== '') await sleep(Math.max(0, began + (rows / ROWS_PER_SECOND) * 1_000 - Date.now()));
      }
    },
    () => progress,
  );
  return { counts: progress.counts, next: progress.next };
}

/** Activities that compare Postgres with Temporal and repair differences. Each can be retried any number of times. */
export function createReconcileActivities({ sql, temporal, log, metrics, config }: ReconcileActivityDeps) {
  for (const kind of Object.keys(DIFFERENCES)) metrics.count('pressline_reconcile_differences_total', { kind }, 0);
  const deps = reconcileDeps({ sql, temporal, log }, config);
  return {
    /** Returns the number of reconciliations that Postgres knows, and how the servers differ from the stored ones. */
    async beginReconciliation(): Promise<CheckedServers & { readonly mark: number }> {
      return { mark: await readMark(sql), ...(await checkServers(sql, temporal)) };
    },

    /** Completes what the outbox, the inbox and label purchases have left unfinished. */
    async reconcileLeftovers(): Promise<Counts> {
      return await withHeartbeat(async () => {
        const parts = [
          startMissingRuns,
          flagFailingRuns,
          flagStuckRuns,
          flagSilentParcels,
          redeliverPostbacks,
          settleShipments,
          voidPurchasesWithoutParcel,
          replayDeadSignals,
        ];
        const counts: Counts[] = [];
        for (const part of parts) {
          counts.push(await part(deps));
          progressed();
        }
        await foldOrderStages(sql);
        return tally(...counts);
      });
    },

    reconcileOrders: (from: BatchRange & { readonly afterLoss: boolean }) =>
      inBatches(from, (after) => compareOrders(deps, after, from.afterLoss)),

    /** @param from.lost the side that has lost data */
    reconcileRuns: (from: BatchRange & { readonly lost: LostSide }) =>
      inBatches(from, (after) => compareRuns(deps, after, from.lost)),

    /** Records the end of a reconciliation. `expected` and `servers`: the mark and the servers at its start. */
    async finishReconciliation({
      mark,
      expected,
      counts,
      servers,
    }: {
      mark: number;
      expected: number;
      counts: Counts;
      servers: Servers;
    }): Promise<void> {
      const written = await writeMark(sql, mark, expected, counts);
      if (written) await settleServers(sql, servers);
      else
        log.warn({ mark, expected }, 'Postgres was restored during a reconciliation; the next one compares everything');
      for (const [kind, n] of Object.entries(counts))
        metrics.count('pressline_reconcile_differences_total', { kind }, n);
      const isQuiet = Object.keys(counts).length === 0;
      log[isQuiet ? 'debug' : 'info']({ mark, ...counts }, 'Postgres and Temporal reconciled');
    },
  };
}

export type ReconcileActivities = ReturnType<typeof createReconcileActivities>;
