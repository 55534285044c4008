import { addWorkingDays, type WorkCalendar } from '../../platform/domain/working-days';

/** A range of working days. */
export interface DaySpan {
  readonly min: number;
  readonly max: number;
}

/** Dates of dispatch and delivery. Days are YYYY-MM-DD. */
export interface DeliveryPromise {
  readonly dispatchDate: string;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
  /** Working days from the order day to delivery. */
  readonly minDeliveryDays: number;
  readonly maxDeliveryDays: number;
}

/**
 * Computes delivery dates: production, then transit, in working days of the fulfilling country (its weekend and public
 * holidays). The earliest date uses both minima, the latest both maxima and the carrier's padding.
 * @param input.from first day of production, YYYY-MM-DD at the place of production
 */
export function promiseDates(input: {
  readonly from: string;
  readonly calendar: WorkCalendar;
  readonly productionDays: DaySpan;
  readonly transitDays: DaySpan;
  /** Working days to add to the carrier's own estimate. */
  readonly paddingDays?: number;
}): DeliveryPromise {
  const { from, calendar, productionDays, transitDays, paddingDays = 0 } = input;
  const start = addWorkingDays(from, 0, calendar);
  const minDeliveryDays = productionDays.min + transitDays.min;
  const maxDeliveryDays = productionDays.max + transitDays.max + paddingDays;
  return {
    dispatchDate: addWorkingDays(start, productionDays.max, calendar),
    minDeliveryDate: addWorkingDays(start, minDeliveryDays, calendar),
    maxDeliveryDate: addWorkingDays(start, maxDeliveryDays, calendar),
    minDeliveryDays,
    maxDeliveryDays,
  };
}

/** Returns the earliest and latest dates of several shipments of one order. */
export function widestPromise(promises: readonly DeliveryPromise[]): DeliveryPromise | undefined {
  const [first, ...others] = promises;
  if (first === undefined) return undefined;
  const earlier = (a: string, b: string) => (a < b ? a : b);
  const later = (a: string, b: string) => (a > b ? a : b);
  return others.reduce(
    (span, next) => ({
      dispatchDate: later(span.dispatchDate, next.dispatchDate),
      minDeliveryDate: earlier(span.minDeliveryDate, next.minDeliveryDate),
      maxDeliveryDate: later(span.maxDeliveryDate, next.maxDeliveryDate),
      minDeliveryDays: Math.min(span.minDeliveryDays, next.minDeliveryDays),
      maxDeliveryDays: Math.max(span.maxDeliveryDays, next.maxDeliveryDays),
    }),
    first,
  );
}
