import type { Queryable } from '../../platform/postgres';

/** Returns the ids of the orders that have changed since the last call, each once per change. */
export type OrderChangeReader = () => Promise<string[]>;

/** Rows of one table that a call reads. The rest follows with the next call. */
const ROWS = 20_000;
/**
 * A row can become visible after rows with a higher id, because its transaction commits later. Calls read the rows of this
 * time again.
 */
const OVERLAP_MS = 5_000;

interface ChangeRow {
  readonly source: 'event' | 'stage' | 'order';
  readonly row: string;
  readonly orderId: string;
}

/** The highest row ids at a time of this process. */
interface Position {
  readonly at: number;
  readonly event: bigint;
  readonly stage: bigint;
}

/**
 * Creates a reader of changed orders. It reads the order log, the changes of statuses and the newest orders, each by the end
 * of an index that exists for other reasons: no writer does more for it, and the cost follows the changes.
 */
export function createOrderChangeReader(sql: Queryable): OrderChangeReader {
  /** Oldest first. The first is older than the overlap, once there is one. */
  const positions: Position[] = [];
  const seen = new Map<string, number>();

  return async () => {
    const now = performance.now();
    while (positions.length > 1 && positions[1]!.at < now - OVERLAP_MS) positions.shift();
    for (const [key, at] of seen) if (at < now - 2 * OVERLAP_MS - 1_000) seen.delete(key);
    const from = positions[0];
    if (from === undefined) {
      positions.push({ at: now, ...(await currentPosition(sql)) });
      return [];
    }
    const rows = await sql<ChangeRow[]>`
      (SELECT 'event' AS source, id::text AS row, order_id FROM order_events
       WHERE id > ${String(from.event)}::bigint ORDER BY id LIMIT ${ROWS})
      UNION ALL
      (SELECT 'stage', id::text, order_id FROM order_stage_changes
       WHERE id > ${String(from.stage)}::bigint AND order_id IS NOT NULL ORDER BY id LIMIT ${ROWS})
      UNION ALL
      (SELECT 'order', id::text, id FROM orders
       WHERE created_at > now() - make_interval(secs => ${(2 * OVERLAP_MS) / 1_000}) ORDER BY created_at DESC LIMIT ${ROWS})`;
    const last = positions.at(-1)!;
    let { event, stage } = last;
    const changed = new Set<string>();
    for (const { source, row, orderId } of rows) {
      if (source === 'event' && BigInt(row) > event) event = BigInt(row);
      if (source === 'stage' && BigInt(row) > stage) stage = BigInt(row);
      const key = `${source}${row}`;
      if (!seen.has(key)) changed.add(orderId);
      seen.set(key, now);
    }
    positions.push({ at: now, event, stage });
    return [...changed];
  };
}

async function currentPosition(sql: Queryable): Promise<Omit<Position, 'at'>> {
  const [row] = await sql<{ event: string; stage: string }[]>`
    SELECT coalesce((SELECT max(id) FROM order_events), 0)::text AS event,
      coalesce((SELECT max(id) FROM order_stage_changes), 0)::text AS stage`;
  return { event: BigInt(row!.event), stage: BigInt(row!.stage) };
}
