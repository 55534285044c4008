import { randomUUID } from 'node:crypto';
import { createOrderChangeReader, type OrderChangeReader } from '../../src/orders/reading/order-changes';
import type { Logger } from '../../src/platform/logging/logging';
import type { Sql } from '../../src/platform/postgres';
import type { LiveCounts } from './live-counts';

/** One event of the stream, in the form of the wire. */
export interface FeedEvent {
  /** Position, unique over all processes. */
  readonly id: string;
  readonly text: string;
}

/** Interval of the reads. All streams of a process share them. */
const READ_MS = 1_000;
/** Events that a reconnecting stream can resume after. */
const KEPT_EVENTS = 1_000;
/** Order ids in one event. */
const IDS = 500;

/** What changes beside orders, and the event that says so. */
type Figures = Readonly<Record<'orders' | 'attention' | 'jobs' | 'messages', string>>;

/**
 * Reads what has changed, and passes it to the streams of this process. It reads only while there is a stream. An event holds
 * ids and names, no content: the console then reads what it shows, with the rights of its operator.
 */
export class ChangeFeed {
  private readonly streams = new Set<(event: FeedEvent) => void>();
  private kept: FeedEvent[] = [];
  /** Changes with each start of the reads: what changed before it is not known. */
  private epoch = '';
  private count = 0;
  private reader: OrderChangeReader | undefined;
  private figures: Figures | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly counts: LiveCounts,
    private readonly log: Logger,
  ) {}

  /**
   * Adds a stream.
   * @returns the events after `lastId`, or null when they are not known any more; and the function that removes the stream
   */
  subscribe(
    lastId: string | undefined,
    push: (event: FeedEvent) => void,
  ): { readonly missed: readonly FeedEvent[] | null; readonly end: () => void } {
    if (this.streams.size === 0) this.start();
    const missed = lastId === undefined ? [] : this.after(lastId);
    this.streams.add(push);
    return {
      missed,
      end: () => {
        this.streams.delete(push);
        if (this.streams.size === 0) this.stop();
      },
    };
  }

  private after(lastId: string): readonly FeedEvent[] | null {
    if (lastId === `${this.epoch}-${this.count}`) return [];
    const index = this.kept.findIndex(({ id }) => id === lastId);
    return index < 0 ? null : this.kept.slice(index + 1);
  }

  private start(): void {
    this.epoch = randomUUID().slice(0, 8);
    this.count = 0;
    this.kept = [];
    this.figures = undefined;
    this.reader = createOrderChangeReader(this.sql);
    this.next(0);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.reader = undefined;
  }

  private next(ms: number): void {
    const { reader } = this;
    this.timer = setTimeout(async () => {
      await this.read(reader!).catch((error: unknown) =>
        this.log.warn({ err: error }, 'changes could not be read; the next read covers the same time'),
      );
      // Another start may have replaced this one meanwhile.
      if (this.reader === reader) this.next(READ_MS);
    }, ms);
  }

  private async read(reader: OrderChangeReader): Promise<void> {
    const [ids, counts] = await Promise.all([reader(), this.counts()]);
    if (this.reader !== reader) return;
    for (let from = 0; from < ids.length; from += IDS) this.emit('orders', { ids: ids.slice(from, from + IDS) });
    const figures: Figures = {
      orders: JSON.stringify([...counts.orders].sort()),
      attention: JSON.stringify(counts.attention.map(({ reason, orders }) => [reason, orders])),
      jobs: JSON.stringify(counts.results),
      messages: JSON.stringify(counts.outbox.map(({ kind, pending, dead }) => [kind, pending, dead])),
    };
    const before = this.figures;
    this.figures = figures;
    if (before === undefined) return;
    const changed = (['orders', 'attention', 'jobs'] as const).filter((name) => figures[name] !== before[name]);
    if (changed.length > 0) this.emit('counts', { changed });
    if (figures.messages !== before.messages) this.emit('messages', {});
  }

  private emit(type: string, data: object): void {
    this.count += 1;
    const id = `${this.epoch}-${this.count}`;
    const event = { id, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n` };
    this.kept.push(event);
    if (this.kept.length > KEPT_EVENTS) this.kept.shift();
    for (const push of [...this.streams]) push(event);
  }
}
