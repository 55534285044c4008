import { type Span, SpanKind } from '@opentelemetry/api';
import type { Logger } from '../logging';
import type { Sql } from '../postgres';
import { contextOf, inSpan, markFailed } from '../tracing/spans';
import { isUnavailable } from '../unavailable';
import type { Claims } from './claims';
import { backoffMs, type DeliveryOutcome, limitAttempts, MAX_ATTEMPTS, retryLater } from './delivery-outcome';
import { FairClaims } from './fair-claims';
import { OrderedClaims } from './ordered-claims';
import type { OutboxRow } from './outbox';
import type { Lane } from './relay';
import type { RelayObserver } from './relay-observer';
import { Settler } from './settlement';

const POLL_MS = 500;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const NOTIFY_JITTER_MS = 10;
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
  /** Consecutive deliveries that met an unavailable server. */
  private unavailable = 0;
  /** Time of the last delivery that the server processed. */
  private processedAt = Number.NEGATIVE_INFINITY;
  /** True when the last claim left due rows because all slots were taken. */
  private moreMayBeDue = false;
  /** True when a message arrived after the last claim began. The claim may have missed it. */
  private woken = false;
  private endPause: () => void = () => undefined;

  constructor(
    sql: Sql,
    readonly lane: Lane,
    private readonly log: Logger,
    private readonly observer?: RelayObserver,
  ) {
    const { kind, leaseSeconds, perKey } = lane;
    this.claims =
      perKey === undefined
        ? new OrderedClaims(sql, kind, leaseSeconds)
        : new FairClaims(sql, kind, leaseSeconds, perKey);
    this.settler = new Settler(sql, log);
  }

  /** Claims soon: a message was written. The jitter keeps the relays of many processes from claiming at the same moment. */
  notify(): void {
    this.wakeIn(Math.random() * NOTIFY_JITTER_MS);
  }

  stop(): void {
    this.stopping = true;
    this.endPause();
  }

  async run(): Promise<void> {
    while (!this.stopping) {
      const free = this.freeSlots();
      // While the receiver is unavailable, one row at a time probes it.
      const limit = this.unavailable > 0 ? Math.min(free, 1) : free;
      this.woken = false;
      try {
        if (limit > 0) {
          const { rows, more } = await this.claims.next(limit);
          this.moreMayBeDue = more;
          for (const sequence of this.sequencesOf(rows)) this.begin(sequence);
        }
      } catch (error) {
        this.log.warn({ err: error }, 'outbox rows could not be claimed');
        this.moreMayBeDue = false;
      }
      if (!this.moreMayBeDue || this.unavailable > 0 || this.freeSlots() <= 0) await this.pause();
    }
    await Promise.all(this.deliveries);
    await this.settler.finish();
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
      const targetMayHaveMore = rows.map((row) => this.claims.release(row)).includes(true);
      // A claim for several free slots costs as much as a claim for one.
      if (this.moreMayBeDue || targetMayHaveMore)
        this.wakeIn(this.freeSlots() * 2 >= this.lane.concurrency ? 0 : REFILL_MS);
    });
    this.deliveries.add(delivery);
  }

  private freeSlots(): number {
    return this.lane.concurrency - this.deliveries.size;
  }

  /** Ends the pause, or prevents the next one, after a time in milliseconds. */
  private wakeIn(ms: number): void {
    const wake = () => {
      this.woken = true;
      this.endPause();
    };
    if (ms === 0) wake();
    else setTimeout(wake, ms).unref();
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
          if (result.isSettled !== true)
            this.settler.add(row, { type: 'postponed', ...postponed, counts: result.outcome === 'retry' });
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

  private async pause(): Promise<void> {
    if (this.woken && this.unavailable === 0 && this.freeSlots() > 0) return;
    const ms =
      this.unavailable > 0
        ? backoffMs(this.unavailable, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
        : POLL_MS * (0.75 + Math.random() / 2);
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
