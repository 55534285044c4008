import { setTimeout as sleep } from 'node:timers/promises';
import { type CarrierAdapter, type CarrierEvent, CarrierUnavailable } from '../../carriers/carrier';
import type { Carriers } from '../../carriers/carriers';
import type { Logger } from '../../platform/logging/logging';
import type { Sql } from '../../platform/postgres';
import { isUnavailable } from '../../platform/unavailable';
import type { SweepResult } from '../domain/shipping-runs';
import { recordTrackingEvents } from './tracking';

export interface SweepDeps {
  readonly sql: Sql;
  readonly carriers: Carriers;
  readonly log: Logger;
}

/** When a step of a sweep ends, and where it reports its progress. */
export interface SweepBounds {
  /** Packages. */
  readonly limit: number;
  /** Epoch milliseconds. No batch begins later. */
  readonly deadline: number;
  readonly report: (soFar: SweepResult) => void;
}

/** Consecutive packages without a usable response after which the carrier counts as unavailable, not the packages as bad. */
const SILENT_PACKAGES = 5;

/** What a carrier reports about packages. Each package is in one of the three lists. */
export interface TrackedPackages {
  readonly events: readonly CarrierEvent[];
  readonly responded: readonly string[];
  readonly failed: readonly string[];
  /** Packages that were not requested, because the carrier is unavailable. */
  readonly notRequested: readonly string[];
  readonly isUnavailable: boolean;
}

/**
 * Reads the tracking of packages from one carrier, at its rate (`trackingLimits`). A batch without a usable response is
 * requested again package by package, so that one bad package does not stop the others.
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
  async track(numbers: readonly string[]): Promise<TrackedPackages> {
    if (numbers.length > 1) {
      try {
        return {
          events: await this.request(numbers),
          responded: numbers,
          failed: [],
          notRequested: [],
          isUnavailable: false,
        };
      } catch (error) {
        rethrowIfPostgresIsUnavailable(error);
      }
    }
    return await this.trackOneByOne(numbers);
  }

  private async trackOneByOne(numbers: readonly string[]): Promise<TrackedPackages> {
    const events: CarrierEvent[] = [];
    const responded: string[] = [];
    const failed: string[] = [];
    let silent = 0;
    for (const [index, number] of numbers.entries()) {
      try {
        events.push(...(await this.request([number])));
        responded.push(number);
        silent = 0;
      } catch (error) {
        rethrowIfPostgresIsUnavailable(error);
        this.log.warn(
          { err: error, carrier: this.adapter.uid, trackingNumber: number },
          'a carrier gave no usable response about a package',
        );
        failed.push(number);
        silent = error instanceof CarrierUnavailable ? silent + 1 : 0;
      }
      if (silent === SILENT_PACKAGES)
        return { events, responded, failed, notRequested: numbers.slice(index + 1), isUnavailable: true };
    }
    return { events, responded, failed, notRequested: [], isUnavailable: silent === numbers.length };
  }

  private async request(numbers: readonly string[]): Promise<readonly CarrierEvent[]> {
    await sleep(Math.max(0, this.next - Date.now()));
    // From the time of the call, not from the planned one: a late call would be followed by the next one too early.
    this.next = Date.now() + (numbers.length / this.adapter.trackingLimits.perSecond) * 1_000;
    return await this.adapter.track(numbers);
  }
}

function rethrowIfPostgresIsUnavailable(error: unknown): void {
  if (!(error instanceof CarrierUnavailable) && isUnavailable(error)) throw error;
}

/**
 * Records events of one carrier. When that fails, it records them package by package, so that the events of one bad package
 * do not stop the others.
 * @returns the number of new checkpoints, and of packages whose events could not be recorded
 * @throws when Postgres is unavailable
 */
export async function recordEvents(
  { sql, log }: Pick<SweepDeps, 'sql' | 'log'>,
  carrierUid: string,
  events: readonly CarrierEvent[],
): Promise<{ recorded: number; failed: number }> {
  const numbers = [...new Set(events.map(({ trackingNumber }) => trackingNumber))];
  try {
    return { recorded: (await recordTrackingEvents(sql, carrierUid, events)).recorded, failed: 0 };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    if (numbers.length === 1) {
      log.error(
        { err: error, carrier: carrierUid, trackingNumber: numbers[0] },
        'the events of a package could not be recorded',
      );
      return { recorded: 0, failed: 1 };
    }
  }
  let [recorded, failed] = [0, 0];
  for (const number of numbers) {
    const own = events.filter(({ trackingNumber }) => trackingNumber === number);
    const outcome = await recordEvents({ sql, log }, carrierUid, own);
    recorded += outcome.recorded;
    failed += outcome.failed;
  }
  return { recorded, failed };
}
