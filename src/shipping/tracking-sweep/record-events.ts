import type { CarrierEvent } from '../../carriers/carrier';
import { isUnavailable } from '../../platform/unavailable';
import { recordTrackingEvents } from '../tracking/tracking';
import type { SweepDeps } from './sweep-step';

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
