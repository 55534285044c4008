/**
 * How far claims look back, in milliseconds before the time that they have reached, and how often.
 *
 * The index of due rows keeps an entry of every row that was claimed or deleted until vacuum removes it, and vacuum
 * removes nothing while a transaction with an older snapshot is open, such as a dump. A claim that begins at the oldest
 * entry then reads all of them: 67 ms instead of 10 ms after 150,000 rows. A claim therefore begins where the last one
 * ended.
 * - 2 s cover transactions that commit after the claim that passed them.
 * - 30 s cover slow transactions and claims that were rolled back.
 * - Everything else is found once a minute, and at the start. After hours with such a transaction, a scan of every
 *   entry takes seconds, so the wide scans are also limited to a share of the time.
 */
const SCANS = [
  { backMs: Number.POSITIVE_INFINITY, everyMs: 60_000 },
  { backMs: 30_000, everyMs: 5_000 },
  { backMs: 2_000, everyMs: 0 },
] as const;

/** A wide scan begins after this many times its last duration at the earliest. */
const PAUSE_PER_DURATION = 30;

/** The times of due rows that the next claim reads. All dates are times of Postgres. Claims do not overlap. */
export class ScanWindow {
  /** Rows that were due before were claimed, except those that later scans find. */
  private reached = 0;
  private returning = Number.POSITIVE_INFINITY;
  private readonly dueAt = SCANS.map(() => Number.NEGATIVE_INFINITY);
  private current = { scan: 0, beganAt: 0, returning: Number.POSITIVE_INFINITY };

  /** Returns the beginning of the next scan: the epoch for a scan of every row. */
  next(nowMs = performance.now()): Date {
    const scan = this.dueAt.findIndex((due) => nowMs >= due);
    // A wider scan includes the narrower ones.
    for (let index = scan; index < SCANS.length; index += 1) this.dueAt[index] = nowMs + SCANS[index]!.everyMs;
    const { returning } = this;
    this.current = { scan, beganAt: nowMs, returning };
    this.returning = Number.POSITIVE_INFINITY;
    return new Date(Math.max(0, Math.min(this.reached, returning) - SCANS[scan]!.backMs));
  }

  /** Ends the scan, and sets the time up to which every row was claimed. */
  advanceTo(time: Date, nowMs = performance.now()): void {
    this.reached = time.getTime();
    const { scan } = this.current;
    this.dueAt[scan] = Math.max(this.dueAt[scan]!, this.pauseUntil(nowMs));
  }

  /** Ends a scan that failed. It is repeated: at once when it failed at once, later after a timeout. */
  fail(nowMs = performance.now()): void {
    this.returning = Math.min(this.returning, this.current.returning);
    this.dueAt[this.current.scan] = this.pauseUntil(nowMs);
  }

  /** Makes the next scan begin at this time or before it. */
  returnTo(time: Date): void {
    this.returning = Math.min(this.returning, time.getTime());
  }

  private pauseUntil(nowMs: number): number {
    const { scan, beganAt } = this.current;
    return SCANS[scan]!.everyMs === 0 ? nowMs : nowMs + PAUSE_PER_DURATION * (nowMs - beganAt);
  }
}
