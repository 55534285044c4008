import type { GaugePoint } from '../metrics/metrics';
import type { Queryable } from '../postgres';
import { OUTBOX_KINDS } from './outbox';

/** Rows of a kind that are counted. A longer queue is reported as this many. */
const COUNTED = 100_000;

/** Reads the sizes and ages of the outbox, for every kind of row, by the indexes of pending and of dead rows. */
export async function outboxGauges(tx: Queryable): Promise<GaugePoint[]> {
  const pending = await tx<{ kind: string; count: number; oldest: number }[]>`
    SELECT k.kind, p.count, extract(epoch FROM clock_timestamp() - p.first)::float8 AS oldest
    FROM unnest(${[...OUTBOX_KINDS]}::text[]) AS k (kind), LATERAL (
      SELECT count(*)::int, min(created_at) AS first FROM (
        SELECT created_at FROM outbox WHERE kind = k.kind AND dead_at IS NULL ORDER BY available_at LIMIT ${COUNTED}) AS rows
    ) AS p`;
  const dead = await tx<{ kind: string; count: number }[]>`
    SELECT kind, count(*)::int FROM (SELECT kind FROM outbox WHERE dead_at IS NOT NULL LIMIT ${COUNTED}) AS rows GROUP BY kind`;
  return OUTBOX_KINDS.flatMap((kind): GaugePoint[] => {
    const waiting = pending.find((row) => row.kind === kind);
    const lost = dead.find((row) => row.kind === kind);
    return [
      { name: 'pressline_outbox_pending', labels: { kind }, value: waiting?.count ?? 0 },
      { name: 'pressline_outbox_oldest_age_seconds', labels: { kind }, value: waiting?.oldest ?? 0 },
      { name: 'pressline_outbox_dead', labels: { kind }, value: lost?.count ?? 0 },
    ];
  });
}
