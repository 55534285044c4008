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

/** Result of a delivery. `unavailable`: the receiving server does not respond; the row itself is not at fault. */
export type DeliveryOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'retry'; readonly at: Date; readonly error: string }
  | { readonly outcome: 'dead'; readonly error: string }
  | { readonly outcome: 'unavailable'; readonly error: string };

export interface Lane {
  readonly kind: OutboxKind;
  /** Number of concurrent deliveries in this process. */
  readonly concurrency: number;
  /** Time limit of a delivery in seconds. The row of a dead relay is due again after it. */
  readonly leaseSeconds: number;
  /** Concurrent deliveries per target. Unset: no limit per target. */
  readonly perTarget?: number;
  /** Must not throw for expected failures. A thrown error counts as a retry with back-off. */
  readonly deliver: (row: OutboxRow) => Promise<DeliveryOutcome>;
}

export interface Relay {
  /** Stops claiming rows and waits for deliveries in progress. */
  stop(): Promise<void>;
}

const POLL_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 5_000;

/** Returns an exponential back-off in milliseconds, with jitter over its upper half. */
export function backoffMs(attempt: number, first = FIRST_RETRY_MS, longest = LONGEST_RETRY_MS): number {
  const ceiling = Math.min(longest, first * 2 ** Math.min(attempt - 1, 20));
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

/**
 * Delivers outbox rows until stopped. Any number of processes can run relays at the same time.
 * Each lane has its own loop, which NOTIFY and a timer wake.
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
  /** Consecutive deliveries that met an unavailable server. */
  private unavailable = 0;
  /** True when the last claim returned as many rows as its limit, so that more rows can be due. */
  private moreMayBeDue = false;
  /** True when a message arrived after the last claim began. The claim may have missed it. */
  private woken = false;
  private endPause: () => void = () => undefined;

  constructor(
    private readonly sql: Sql,
    readonly lane: Lane,
    private readonly log: Logger,
  ) {}

  wake(): void {
    this.woken = true;
    this.endPause();
  }

  stop(): void {
    this.stopping = true;
    this.endPause();
  }

  async run(): Promise<void> {
    while (!this.stopping) {
      const free = this.lane.concurrency - this.inFlight.size;
      // While the receiver is unavailable, one row at a time probes it.
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

  /** Settles rows that were claimed together in one statement: one DELETE for all delivered rows. */
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
        // The delivery frees a slot and its target. It makes no further row due.
        if (this.moreMayBeDue || this.lane.perTarget !== undefined) this.endPause();
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
          // A postponed row postpones the later rows of its target in this batch.
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
    // A row that could not be settled stays leased and is delivered again. Receivers accept duplicates.
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
      this.endPause = () => {
        // New rows do not shorten the pause while the receiver is unavailable.
        if (this.unavailable > 0 && !this.stopping) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = () => undefined;
  }
}

/** Groups rows by target, in the order in which they were written. A workflow receives its messages in that order. */
function inSequence(rows: readonly OutboxRow[]): Map<string, OutboxRow[]> {
  const sequences = new Map<string, OutboxRow[]>();
  for (const row of [...rows].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)))) {
    const sequence = sequences.get(row.target);
    if (sequence === undefined) sequences.set(row.target, [row]);
    else sequence.push(row);
  }
  return sequences;
}
