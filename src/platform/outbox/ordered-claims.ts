import type { Sql } from '../postgres';
import { type ClaimedJson, type ClaimOptions, type Claims, lastDueAt, leasePicked, rowsOf } from './claims';
import type { OutboxKind, OutboxRow } from './outbox';
import { ScanWindow } from './scan-window';

/**
 * Claims rows that became due since `after`, oldest first. Skips rows that another relay has locked.
 * @param busy targets whose rows are not claimed
 * @returns `reached`: the time of Postgres up to which every due row is claimed, except rows of busy targets. `passedOver`:
 *   rows of busy targets are due
 */
export async function claim(
  sql: Sql,
  kind: OutboxKind,
  options: ClaimOptions & { readonly after: Date; readonly busy: readonly string[] },
) {
  const { limit, after } = options;
  const targets = [...options.busy];
  const [result] = await sql<{ now: Date; rows: ClaimedJson[]; passedOver: boolean }[]>`
    WITH picked AS (
      SELECT id, available_at FROM outbox
      WHERE kind = ${kind} AND dead_at IS NULL AND available_at >= ${after} AND available_at <= now()
        AND target <> ALL(${targets})
      ORDER BY available_at, id
      LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    ), ${leasePicked(sql, options)}
    SELECT now(), rows, EXISTS (
      SELECT FROM outbox WHERE kind = ${kind} AND dead_at IS NULL AND target = ANY(${targets})
        AND available_at >= ${after} AND available_at <= now()) AS passed_over
    FROM claimed`;
  const { now, rows, passedOver } = result!;
  return { rows: rowsOf(rows), reached: rows.length < limit ? now : (lastDueAt(rows) ?? now), passedOver };
}

/** Claims for lanes that deliver the rows of one target one after another. */
export class OrderedClaims implements Claims {
  private readonly window = new ScanWindow();
  /** Targets with rows in delivery: their number, and the time that the claim had reached. */
  private readonly busy = new Map<string, { count: number; readonly reached: Date }>();
  private passedOver = false;

  constructor(
    private readonly sql: Sql,
    private readonly kind: OutboxKind,
    private readonly leaseSeconds: number,
  ) {}

  async next(limit: number, delivered: readonly string[]) {
    const after = this.window.next();
    const { leaseSeconds } = this;
    const busy = [...this.busy.keys()];
    const options = { limit, leaseSeconds, delivered, after, busy };
    const claimed = await claim(this.sql, this.kind, options).catch((error: unknown) => {
      this.window.fail();
      throw error;
    });
    const { rows, reached, passedOver } = claimed;
    this.passedOver = passedOver;
    const isReleased = busy.some((target) => !this.busy.has(target));
    this.window.advanceTo(reached);
    for (const { target } of rows) {
      const entry = this.busy.get(target);
      if (entry === undefined) this.busy.set(target, { count: 1, reached });
      else entry.count += 1;
    }
    return { rows, more: rows.length >= limit || (passedOver && isReleased), passedOver };
  }

  release({ target }: OutboxRow): boolean {
    const entry = this.busy.get(target)!;
    entry.count -= 1;
    if (entry.count > 0) return false;
    this.busy.delete(target);
    // Claims have passed over rows of this target that became due in the meantime.
    this.window.returnTo(entry.reached);
    return this.passedOver;
  }
}
