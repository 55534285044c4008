import type { Logger } from '../logging';
import type { Sql } from '../postgres';
import {
  claim,
  claimFairly,
  OUTBOX_CHANNEL,
  type OutboxKind,
  type OutboxRow,
  settleDead,
  settleDone,
  settleRetry,
} from './outbox';

/** What a delivery came to. `unavailable`: the whole receiving server is away, nothing is wrong with this row. */
export type DeliveryOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'retry'; readonly at: Date; readonly error: string }
  | { readonly outcome: 'dead'; readonly error: string }
  | { readonly outcome: 'unavailable'; readonly error: string };

export interface Lane {
  readonly kind: OutboxKind;
  /** Rows delivered at once by this process. */
  readonly concurrency: number;
  /** Longest a delivery may take, in seconds; a row whose relay died is due again after it. */
  readonly leaseSeconds: number;
  /** Rows of one target at once; unset: targets need not be told apart. */
  readonly perTarget?: number;
  /** Must not throw for expected failures; a thrown error counts as a retry with backoff. */
  readonly deliver: (row: OutboxRow) => Promise<DeliveryOutcome>;
}

export interface Relay {
  /** Ends when deliveries in flight have ended. */
  stop(): Promise<void>;
}

const POLL_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 5_000;

/** Exponential backoff with full jitter on its upper half. */
export function backoffMs(attempt: number, first = FIRST_RETRY_MS, longest = LONGEST_RETRY_MS): number {
  const ceiling = Math.min(longest, first * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

/**
 * Delivers outbox rows until stopped; any number of processes may do so at once.
 * Each lane runs by itself, woken by NOTIFY and by a clock.
 */
export async function startRelay(options: { sql: Sql; lanes: readonly Lane[]; log: Logger }): Promise<Relay> {
  const { sql, log } = options;
  const runners = options.lanes.map((lane) => new LaneRunner(sql, lane, log.child({ lane: lane.kind })));
  const subscription = await sql.listen(OUTBOX_CHANNEL, (kind) => {
    for (const runner of runners) if (runner.lane.kind === kind) runner.wake();
  });
  const loops = runners.map((runner) => runner.run());
  return {
    async stop() {
      for (const runner of runners) runner.stop();
      await Promise.all(loops);
      await subscription.unlisten().catch(() => undefined);
    },
  };
}

class LaneRunner {
  private stopping = false;
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly busyTargets = new Map<string, number>();
  /** Deliveries that found the receiving server away, since one last worked. */
  private unavailable = 0;
  /** The last claim took as many rows as it might: more may be due. */
  private moreMayBeDue = false;
  /** Something came in since the last claim began, which may have looked too early for it. */
  private woken = false;
  private rouse: () => void = () => undefined;

  constructor(
    private readonly sql: Sql,
    readonly lane: Lane,
    private readonly log: Logger,
  ) {}

  wake(): void {
    this.woken = true;
    this.rouse();
  }

  stop(): void {
    this.stopping = true;
    this.rouse();
  }

  async run(): Promise<void> {
    while (!this.stopping) {
      const free = this.lane.concurrency - this.inFlight.size;
      // While the receiver is away one row at a time asks whether it is back.
      const limit = this.unavailable > 0 ? Math.min(free, 1) : free;
      let claimed: OutboxRow[] = [];
      this.woken = false;
      try {
        if (limit > 0) claimed = await this.claim(limit);
      } catch (error) {
        this.log.warn({ err: error }, 'outbox rows could not be claimed');
      }
      this.moreMayBeDue = claimed.length >= limit;
      this.deliver(claimed);
      if (free <= 0 || claimed.length < free) await this.pause();
    }
    await Promise.all(this.inFlight.values());
  }

  private async claim(limit: number): Promise<OutboxRow[]> {
    const { kind, leaseSeconds, perTarget } = this.lane;
    if (perTarget === undefined) return await claim(this.sql, kind, { limit, leaseSeconds });
    const busy = [...this.busyTargets].filter(([, count]) => count >= perTarget).map(([target]) => target);
    return await claimFairly(this.sql, kind, { limit, leaseSeconds, perTarget, busy });
  }

  /** Rows claimed together are settled together: one DELETE for all that went through. */
  private deliver(rows: readonly OutboxRow[]): void {
    if (rows.length === 0) return;
    if (this.lane.perTarget !== undefined) {
      for (const row of rows) this.track(row, this.deliverAndSettle([row]));
      return;
    }
    const batch = this.deliverAndSettle(rows);
    for (const row of rows) this.track(row, batch);
  }

  private track(row: OutboxRow, work: Promise<void>): void {
    this.busyTargets.set(row.target, (this.busyTargets.get(row.target) ?? 0) + 1);
    this.inFlight.set(
      row.id,
      work.finally(() => {
        this.inFlight.delete(row.id);
        const left = (this.busyTargets.get(row.target) ?? 1) - 1;
        if (left === 0) this.busyTargets.delete(row.target);
        else this.busyTargets.set(row.target, left);
        // A delivery that ends makes room, and frees its target; nothing becomes due by it.
        if (this.moreMayBeDue || this.lane.perTarget !== undefined) this.rouse();
      }),
    );
  }

  private async deliverAndSettle(rows: readonly OutboxRow[]): Promise<void> {
    const done: string[] = [];
    const settling: Promise<void>[] = [];
    const settle = (row: OutboxRow, result: DeliveryOutcome, pauseMs: number) => {
      switch (result.outcome) {
        case 'done':
          done.push(row.id);
          return;
        case 'retry':
          settling.push(settleRetry(this.sql, row.id, result.at, result.error));
          return;
        case 'unavailable':
          settling.push(settleRetry(this.sql, row.id, new Date(Date.now() + pauseMs), result.error));
          return;
        case 'dead':
          this.log.error({ outboxId: row.id, target: row.target, error: result.error }, 'outbox row is dead');
          settling.push(settleDead(this.sql, row.id, result.error));
      }
    };
    await Promise.all(
      [...inSequence(rows).values()].map(async (sequence) => {
        let [result, pauseMs]: [DeliveryOutcome, number] = [{ outcome: 'done' }, 0];
        for (const row of sequence) {
          // What is put off holds up what comes after it at the same target, in this batch.
          if (result.outcome === 'done' || result.outcome === 'dead') {
            result = await this.attempt(row);
            if (result.outcome === 'unavailable') {
              this.unavailable += 1;
              pauseMs = backoffMs(this.unavailable, 250, LONGEST_PAUSE_MS);
            } else this.unavailable = 0;
          }
          settle(row, result, pauseMs);
        }
      }),
    );
    // A settlement that fails leaves the row leased: it is delivered once more, which every receiver bears.
    await Promise.all([...settling, settleDone(this.sql, done)]).catch((error: unknown) => {
      this.log.warn({ err: error }, 'outbox rows could not be settled');
    });
  }

  private async attempt(row: OutboxRow): Promise<DeliveryOutcome> {
    try {
      return await this.lane.deliver(row);
    } catch (error) {
      this.log.warn({ err: error, outboxId: row.id, target: row.target }, 'outbox delivery failed');
      const message = error instanceof Error ? error.message : String(error);
      return { outcome: 'retry', at: new Date(Date.now() + backoffMs(row.attempts)), error: message };
    }
  }

  private async pause(): Promise<void> {
    if (this.woken && this.unavailable === 0 && this.inFlight.size < this.lane.concurrency) return;
    const ms = this.unavailable > 0 ? backoffMs(this.unavailable, 250, LONGEST_PAUSE_MS) : POLL_MS;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.rouse = () => {
        // Away means away: new rows do not shorten the pause.
        if (this.unavailable > 0 && !this.stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.rouse = () => undefined;
  }
}

/** Rows by target, those of one target as they were written: a run hears its messages in their sequence. */
function inSequence(rows: readonly OutboxRow[]): Map<string, OutboxRow[]> {
  const sequences = new Map<string, OutboxRow[]>();
  for (const row of [...rows].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))) {
    const sequence = sequences.get(row.target);
    if (sequence === undefined) sequences.set(row.target, [row]);
    else sequence.push(row);
  }
  return sequences;
}
