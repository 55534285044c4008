/**
 * How far claims look back, in milliseconds before the time that they have reached, and how often.
 *
 * The index of due rows keeps an entry of every row that was claimed or deleted until vacuum removes it, and vacuum
 * removes nothing while a transaction with an older snapshot is open, such as a dump. A claim that begins at the oldest
 * entry then reads all of them: 67 ms instead of 10 ms after 150,000 rows (docs/benchmarks.md). A claim therefore begins where the last one
 * ended.
 * - 2 s cover transactions that commit after the claim that passed them.
 * - 30 s cover slow transactions and claims that were rolled back.
 * - Everything else is found once a minute, and at the start.
 */
const SCANS = [
  { backMs: Number.POSITIVE_INFINITY, everyMs: 60_000 },
  { backMs: 30_000, everyMs: 5_000 },
  { backMs: 2_000, everyMs: 0 },
] as const;

/** The times of due rows that the next claim reads. All times are times of Postgres. */
export class ScanWindow {
  /** Rows that were due before were claimed, except those that later scans find. */
  private reached = 0;
  private returning = Number.POSITIVE_INFINITY;
  private readonly scannedAt = SCANS.map(() => Number.NEGATIVE_INFINITY);

  /** Returns the beginning of the next scan: the epoch for a scan of every row. */
  next(nowMs = performance.now()): Date {
    const due = SCANS.findIndex(({ everyMs }, index) => nowMs - this.scannedAt[index]! >= everyMs);
    // A wider scan includes the narrower ones.
    for (let index = due; index < SCANS.length; index += 1) this.scannedAt[index] = nowMs;
    const from = Math.min(this.reached, this.returning) - SCANS[due]!.backMs;
    this.returning = Number.POSITIVE_INFINITY;
    return new Date(Math.max(0, from));
  }

  /** Sets the time up to which every row was claimed. */
  advanceTo(time: Date): void {
    this.reached = time.getTime();
  }

  /** Makes the next scan begin at this time or before it. */
  returnTo(time: Date): void {
    this.returning = Math.min(this.returning, time.getTime());
  }
}
