import type { GaugePoint } from '../metrics/metrics';
import type { Queryable } from '../postgres';
import { OUTBOX_KINDS } from './outbox';

/** Reads the sizes and ages of the outbox, for every kind of row. One scan of the pending rows, one of the dead ones. */
export async function outboxGauges(tx: Queryable): Promise<GaugePoint[]> {
  const pending = await tx<{ kind: string; count: number; oldest: number }[]>`
    SELECT kind, count(*)::int, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS oldest
    FROM outbox WHERE dead_at IS NULL GROUP BY kind`;
  const dead = await tx<{ kind: string; count: number }[]>`
    SELECT kind, count(*)::int FROM outbox WHERE dead_at IS NOT NULL GROUP BY kind`;
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
