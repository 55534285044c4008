import type { GaugePoint } from '../metrics/metrics';
import type { Queryable } from '../postgres';
import { OUTBOX_KINDS, type OutboxKind } from './outbox';

/** Pending and dead rows of one kind. */
export interface OutboxSize {
  readonly kind: OutboxKind;
  readonly pending: number;
  /** Age of the oldest pending row. Null when none is pending. */
  readonly oldestPendingSeconds: number | null;
  readonly dead: number;
  /** Time since the oldest dead row died. Null when none is dead. */
  readonly oldestDeadSeconds: number | null;
}

/** Rows of a kind that are counted. A longer queue is reported as this many. */
export const COUNTED_ROWS = 100_000;

/** Returns the sizes and ages of the outbox for every kind of row, by the indexes of pending and of dead rows. */
export async function readOutboxSizes(tx: Queryable): Promise<OutboxSize[]> {
  const pending = await tx<{ kind: string; count: number; oldest: number | null }[]>`
    SELECT k.kind, p.count, extract(epoch FROM clock_timestamp() - p.first)::float8 AS oldest
    FROM unnest(${[...OUTBOX_KINDS]}::text[]) AS k (kind), LATERAL (
      SELECT count(*)::int, min(created_at) AS first FROM (
        SELECT created_at FROM outbox WHERE kind = k.kind AND dead_at IS NULL ORDER BY available_at LIMIT ${COUNTED_ROWS}) AS rows
    ) AS p`;
  const dead = await tx<{ kind: string; count: number; oldest: number }[]>`
    SELECT kind, count(*)::int, extract(epoch FROM clock_timestamp() - min(dead_at))::float8 AS oldest
    FROM (SELECT kind, dead_at FROM outbox WHERE dead_at IS NOT NULL ORDER BY dead_at LIMIT ${COUNTED_ROWS}) AS rows GROUP BY kind`;
  return OUTBOX_KINDS.map((kind) => {
    const waiting = pending.find((row) => row.kind === kind);
    const lost = dead.find((row) => row.kind === kind);
    return {
      kind,
      pending: waiting?.count ?? 0,
      oldestPendingSeconds: waiting?.oldest ?? null,
      dead: lost?.count ?? 0,
      oldestDeadSeconds: lost?.oldest ?? null,
    };
  });
}

/** Reads the sizes and ages of the outbox as gauges. */
export async function outboxGauges(tx: Queryable): Promise<GaugePoint[]> {
  return (await readOutboxSizes(tx)).flatMap(({ kind, pending, oldestPendingSeconds, dead }): GaugePoint[] => [
    { name: 'pressline_outbox_pending', labels: { kind }, value: pending },
    { name: 'pressline_outbox_oldest_age_seconds', labels: { kind }, value: oldestPendingSeconds ?? 0 },
    { name: 'pressline_outbox_dead', labels: { kind }, value: dead },
  ]);
}
