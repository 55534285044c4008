import { setTimeout as sleep } from 'node:timers/promises';
import { type CarrierAdapter, type CarrierEvent, CarrierUnavailable } from '../../carriers/carrier';
import type { Logger } from '../../platform/logging';
import { isUnavailable } from '../../platform/unavailable';

/** Consecutive packages without a usable answer after which the carrier counts as unavailable, not the packages as bad. */
const SILENT_PACKAGES = 5;

/** Answers of a carrier about packages. Each package is in one of the three lists. */
export interface Answers {
  readonly events: readonly CarrierEvent[];
  /** Packages that the carrier answered for. */
  readonly asked: readonly string[];
  /** Packages for which it gave no usable answer. */
  readonly failed: readonly string[];
  /** Packages that it was not asked about, because it is unavailable. */
  readonly unasked: readonly string[];
  readonly isAway: boolean;
}

/**
 * Asks one carrier about packages, at its rate (`trackingLimits`). A batch without a usable answer is asked again package by
 * package, so that one bad package does not stop the others.
 */
export class CarrierInquiry {
  /** Time of the next call, in milliseconds. */
  private next = 0;

  constructor(
    private readonly adapter: CarrierAdapter,
    private readonly log: Logger,
  ) {}

  /**
   * @param numbers tracking numbers, at most `trackingLimits.batch`
   * @throws when Postgres is unavailable, which the built-in carriers use
   */
  async ask(numbers: readonly string[]): Promise<Answers> {
    if (numbers.length > 1) {
      try {
        return { events: await this.track(numbers), asked: numbers, failed: [], unasked: [], isAway: false };
      } catch (error) {
        rethrowIfPostgresIsAway(error);
      }
    }
    return await this.askOneByOne(numbers);
  }

  private async askOneByOne(numbers: readonly string[]): Promise<Answers> {
    const events: CarrierEvent[] = [];
    const asked: string[] = [];
    const failed: string[] = [];
    let silent = 0;
    for (const [index, number] of numbers.entries()) {
      try {
        events.push(...(await this.track([number])));
        asked.push(number);
        silent = 0;
      } catch (error) {
        rethrowIfPostgresIsAway(error);
        this.log.warn(
          { err: error, carrier: this.adapter.uid, trackingNumber: number },
          'a carrier gave no usable answer about a package',
        );
        failed.push(number);
        silent = error instanceof CarrierUnavailable ? silent + 1 : 0;
      }
      if (silent === SILENT_PACKAGES)
        return { events, asked, failed, unasked: numbers.slice(index + 1), isAway: true };
    }
    return { events, asked, failed, unasked: [], isAway: silent === numbers.length };
  }

  private async track(numbers: readonly string[]): Promise<readonly CarrierEvent[]> {
    const now = Date.now();
    const start = Math.max(now, this.next);
    this.next = start + (numbers.length / this.adapter.trackingLimits.perSecond) * 1_000;
    await sleep(start - now);
    return await this.adapter.track(numbers);
  }
}

function rethrowIfPostgresIsAway(error: unknown): void {
  if (!(error instanceof CarrierUnavailable) && isUnavailable(error)) throw error;
}
