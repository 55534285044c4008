import { type Span, SpanKind } from '@opentelemetry/api';
import type { Logger } from '../logging/logging';
import type { Sql } from '../postgres';
import { contextOf, inSpan, markFailed } from '../tracing/spans';
import { isUnavailable } from '../unavailable';
import type { Claims } from './claims';
import { OrderedClaims } from './claims';
import { FairClaims } from './fair-claims';
import type { Lane, RelayObserver } from './lane';
import { backoffMs, type DeliveryOutcome, limitAttempts, MAX_ATTEMPTS, retryLater } from './lane';
import { type OutboxRow, WAKE_EVERY_MS } from './outbox';
import { Settler } from './settlement';

/** Pause between claims without a wake-up. They find what a dead relay left, and messages whose wake-up was lost. */
const POLL_MS = 5_000;
const FAILED_CLAIM_PAUSE_MS = 500;
/** Pauses while the receiver is unavailable. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_GAP_MS = 2_000;
/** Slots that become free within this time are filled by one claim. */
const REFILL_MS = 5;

/** Rows of one target that are delivered one after another. */
interface Sequence {
  readonly rows: readonly OutboxRow[];
  /** Time after which no further row is begun, because its lease could end during the delivery. */
  readonly beginBy: number;
}

/** The delivery loop of one lane. Each sequence of rows has a slot, and frees it as soon as it ends. */
export class LaneRunner {
  private stopping = false;
  private readonly claims: Claims;
  private readonly settler: Settler;
  private readonly deliveries = new Set<Promise<void>>();
  private unavailable = 0;
  private processedAt = Number.NEGATIVE_INFINITY;
  /** True when the last claim left due rows because all slots were taken. */
  private moreMayBeDue = false;
  /** Time of the next claim, as of `performance.now()`. A lane without a free slot claims later. */
  private claimAt = Number.NEGATIVE_INFINITY;
  /** True when a message was written after the last claim began. The claim may have missed it. */
  private notified = false;
  private wokenAt = Number.NEGATIVE_INFINITY;
  /**
   * Minimum time between claims after wake-ups. It doubles when such a claim finds nothing, because the relays of other processes
   * were faster, and decreases by an eighth when it finds rows. About a sixth of them then find nothing, however many relays there
   * are.
   */
  private gapMs: number;
  private endPause: () => void = () => undefined;

  constructor(
    sql: Sql,
    readonly lane: Lane,
    private readonly log: Logger,
    private readonly observer?: RelayObserver,
  ) {
    const { kind, leaseSeconds, perKey } = lane;
    this.claims =
      perKey === undefined || kind === 'signal_workflow'
        ? new OrderedClaims(sql, kind, leaseSeconds)
        : new FairClaims(sql, { ...lane, kind, perKey });
    this.settler = new Settler(sql, log, (afterMs) => this.notifyIn(afterMs));
    this.gapMs = WAKE_EVERY_MS[kind];
  }

  /** Claims soon: a message was written, or a postponed one is due. */
  notify(): void {
    // New rows do not shorten the pause while the receiver is unavailable.
    if (this.unavailable > 0) return;
    this.notified = true;
    this.claimIn(this.wokenAt + this.gapMs - performance.now());
  }

  stop(): void {
    this.stopping = true;
    this.endPause();
  }

  async run(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.claim();
      } catch (error) {
        this.log.warn({ err: error }, 'outbox rows could not be claimed');
        this.moreMayBeDue = false;
        this.claimIn(FAILED_CLAIM_PAUSE_MS);
      }
      await this.pause();
    }
    await Promise.all(this.deliveries);
    await this.settler.finish();
  }

  private async claim(): Promise<void> {
    const isWoken = this.notified;
    this.notified = false;
    this.claimAt = Number.POSITIVE_INFINITY;
    if (isWoken) this.wokenAt = performance.now();
    // While the receiver is unavailable, one row at a time probes it.
    const limit = this.unavailable > 0 ? 1 : this.freeSlots();
    const { rows, more, passedOver } = await this.claims.next(limit);
    this.moreMayBeDue = more;
    for (const sequence of this.sequencesOf(rows)) this.begin(sequence);
    if (isWoken && rows.length > 0) this.gapMs = Math.max(WAKE_EVERY_MS[this.lane.kind], this.gapMs * 0.875);
    else if (isWoken && !passedOver) this.gapMs = Math.min(LONGEST_GAP_MS, this.gapMs * 2);
    if (this.unavailable > 0) this.claimIn(backoffMs(this.unavailable, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
    else this.claimIn(more ? 0 : POLL_MS * (0.75 + Math.random() / 2));
  }

  /** Groups rows that must be delivered one after another, in the order in which they were written. */
  private sequencesOf(rows: readonly OutboxRow[]): OutboxRow[][] {
    if (this.lane.perKey !== undefined) return rows.map((row) => [row]);
    const sequences = new Map<string, OutboxRow[]>();
    for (const row of [...rows].sort((a, b) => Number(BigInt(a.id) - BigInt(b.id))))
      sequences.set(row.target, [...(sequences.get(row.target) ?? []), row]);
    return [...sequences.values()];
  }

  private begin(rows: readonly OutboxRow[]): void {
    const beginBy = performance.now() + (this.lane.leaseSeconds * 1_000) / 2;
    const delivery = this.deliver({ rows, beginBy }).finally(() => {
      this.deliveries.delete(delivery);
      const { untilUncounted } = this.lane;
      if (untilUncounted === undefined) this.release(rows);
      else for (const row of rows) void untilUncounted(row).finally(() => this.release([row]));
      this.endPause();
    });
    this.deliveries.add(delivery);
  }

  /** Counts rows no longer towards the limits of their keys, and claims again where more may be due. */
  private release(rows: readonly OutboxRow[]): void {
    const targetMayHaveMore = rows.map((row) => this.claims.release(row)).includes(true);
    // A claim for several free slots costs as much as a claim for one.
    if ((this.moreMayBeDue || targetMayHaveMore) && this.unavailable === 0)
      this.claimIn(this.freeSlots() * 2 >= this.lane.concurrency ? 0 : REFILL_MS);
  }

  private freeSlots(): number {
    return this.lane.concurrency - this.deliveries.size;
  }

  /** Claims after a time in milliseconds at the latest. */
  private claimIn(ms: number): void {
    this.claimAt = Math.min(this.claimAt, performance.now() + ms);
    this.endPause();
  }

  private notifyIn(ms: number): void {
    setTimeout(() => this.notify(), ms).unref();
  }

  private async deliver({ rows, beginBy }: Sequence): Promise<void> {
    let postponed: { readonly afterMs: number; readonly error: string } | undefined;
    for (const row of rows) {
      if (row !== rows[0] && postponed === undefined && (this.stopping || performance.now() > beginBy))
        postponed = { afterMs: 0, error: 'not attempted: earlier rows of the target took too long' };
      if (postponed !== undefined) {
        // A postponed row postpones the later rows of its target.
        this.settler.add(row, { type: 'postponed', ...postponed, counts: false });
        continue;
      }
      const result = await this.attempt(row);
      switch (result.outcome) {
        case 'done':
          if (result.isSettled !== true) this.settler.add(row, { type: 'delivered' });
          break;
        case 'dead':
          this.log.error({ outboxId: row.id, target: row.target, error: result.error }, 'outbox row is dead');
          this.settler.add(row, { type: 'dead', error: result.error });
          break;
        default:
          postponed = { afterMs: result.afterMs, error: result.error };
          if (result.isSettled === true) this.notifyIn(result.afterMs);
          else this.settler.add(row, { type: 'postponed', ...postponed, counts: result.outcome === 'retry' });
      }
    }
  }

  /** Makes one attempt. An unavailable server pauses the lane, and the row waits for as long. */
  private async attempt(row: OutboxRow): Promise<Exclude<DeliveryOutcome, { outcome: 'unavailable' }>> {
    // The relays that claimed the row before ended without a result.
    if (row.attempts > MAX_ATTEMPTS) return { outcome: 'dead', error: `no result after ${MAX_ATTEMPTS} attempts` };
    const startedAt = performance.now();
    const outcome = await inSpan(
      `deliver ${row.kind}`,
      { kind: SpanKind.CONSUMER, attributes: { 'pressline.outbox.attempt': row.attempts } },
      (span) => this.outcomeOf(row, span),
      contextOf(row.traceparent),
    );
    const result = limitAttempts(row, outcome, this.processedAt > startedAt);
    this.observer?.attempted(this.lane.kind, result.outcome);
    if (result.outcome === 'unavailable') {
      this.unavailable += 1;
      const pauseMs = backoffMs(this.unavailable, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      this.claimIn(pauseMs);
      return { outcome: 'wait', afterMs: pauseMs, error: result.error };
    }
    if (outcome.outcome !== 'unavailable') {
      this.unavailable = 0;
      this.processedAt = performance.now();
    }
    return result;
  }

  private async outcomeOf(row: OutboxRow, span: Span | undefined): Promise<DeliveryOutcome> {
    try {
      const result = await this.lane.deliver(row);
      span?.setAttribute('pressline.outbox.outcome', result.outcome);
      return result;
    } catch (error) {
      if (span !== undefined) markFailed(span, error);
      const isExpected = isUnavailable(error);
      const log = this.log.child({ outboxId: row.id, target: row.target });
      // An unexpected exception is reported once, at the first attempt. Its retries are warnings.
      if (this.observer !== undefined && !isExpected && row.attempts === 1)
        this.observer.report(error, log, 'outbox delivery failed');
      else log.warn({ err: error }, 'outbox delivery failed');
      const message = error instanceof Error ? error.message : String(error);
      return isExpected ? { outcome: 'unavailable', error: message } : retryLater(row, message);
    }
  }

  /** Waits until the time of the next claim, and for a free slot. */
  private async pause(): Promise<void> {
    for (;;) {
      const ms = this.claimAt - performance.now();
      const isFull = this.freeSlots() <= 0;
      if (this.stopping || (ms <= 0 && !isFull)) return;
      await new Promise<void>((resolve) => {
        const timer = isFull ? undefined : setTimeout(resolve, ms);
        this.endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.endPause = () => undefined;
    }
  }
}
