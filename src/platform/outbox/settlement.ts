import { cutText } from '../domain/foreign-text';
import type { Logger } from '../logging/logging';
import { json, type Sql } from '../postgres';
import type { OutboxRow } from './outbox';

/** What becomes of a row after a delivery attempt: it is deleted, due again after a time, or a dead letter. */
export type Settlement =
  | { readonly type: 'delivered' }
  /** `counts`: false takes the attempt back. */
  | { readonly type: 'postponed'; readonly afterMs: number; readonly error: string; readonly counts: boolean }
  | { readonly type: 'dead'; readonly error: string };

const LONGEST_ERROR = 500;
/**
 * Rows that are delivered within this time share one DELETE. They are leased meanwhile, so no relay delivers them again unless
 * this process ends.
 */
const BATCH_MS = 50;

type Settled = { readonly row: OutboxRow; readonly settlement: Settlement };

/** Writes the settlements of rows: at most one DELETE and one UPDATE. */
export async function settle(sql: Sql, settled: readonly Settled[]): Promise<void> {
  const delivered = settled.filter(({ settlement }) => settlement.type === 'delivered');
  const kept = settled.flatMap(({ row: { id, attempts }, settlement }) => {
    if (settlement.type === 'delivered') return [];
    const error = cutText(settlement.error, LONGEST_ERROR);
    const isDead = settlement.type === 'dead';
    return [
      {
        id,
        attempts,
        left_attempts: isDead || settlement.counts ? attempts : attempts - 1,
        after_ms: isDead ? null : settlement.afterMs,
        error,
      },
    ];
  });
  await Promise.all([
    delivered.length > 0 && sql`DELETE FROM outbox WHERE id = ANY(${delivered.map(({ row }) => row.id)}::bigint[])`,
    // A row with other attempts is claimed again, because its lease ended. The new claim settles it.
    kept.length > 0 &&
      sql`
        UPDATE outbox o SET attempts = s.left_attempts, last_error = s.error,
          available_at = coalesce(clock_timestamp() + s.after_ms * interval '1 ms', o.available_at),
          dead_at = CASE WHEN s.after_ms IS NULL THEN now() END
        FROM jsonb_to_recordset(${json(sql, kept)})
          AS s (id bigint, attempts int, left_attempts int, after_ms float8, error text)
        WHERE o.id = s.id AND o.attempts = s.attempts AND o.dead_at IS NULL`,
  ]);
}

/** Settles rows in batches, independently of the deliveries that are still in progress. */
export class Settler {
  private waiting: Settled[] = [];
  private writing: Promise<void> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly log: Logger,
    /** Called for each postponed row when its time is written, with the milliseconds until then. */
    private readonly onPostponed: (afterMs: number) => void,
  ) {}

  add(row: OutboxRow, settlement: Settlement): void {
    this.waiting.push({ row, settlement });
    this.writing ??= this.write();
  }

  /** Resolves when every added settlement is written. */
  async finish(): Promise<void> {
    await this.writing;
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, BATCH_MS));
      const batch = this.waiting;
      this.waiting = [];
      // A row that could not be settled stays leased and is delivered again. Receivers accept duplicates.
      await settle(this.sql, batch).catch((error: unknown) => {
        this.log.warn({ err: error, rows: batch.length }, 'outbox rows could not be settled');
      });
      for (const { settlement } of batch) if (settlement.type === 'postponed') this.onPostponed(settlement.afterMs);
    }
    this.writing = undefined;
  }
}
