import { LRUCache } from 'lru-cache';
import { attentionCounts, countOrdersNeedingAttention } from '../../src/orders/reading/attention-counts';
import { orderStages } from '../../src/orders/reading/order-stages';
import { readOutboxSizes } from '../../src/platform/outbox/messages';
import { readRunningTotals } from '../../src/platform/running-totals';
import { readJobResults } from '../../src/platform/temporal/periodic-jobs';
import type { ApiDeps } from '../deps';

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
