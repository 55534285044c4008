import { addWorkingDays, type WorkCalendar } from '../../platform/domain/working-days';

/** A span of working days. */
export interface DaySpan {
  readonly min: number;
  readonly max: number;
}

/** When goods leave and arrive; days are YYYY-MM-DD. */
export interface DeliveryPromise {
  readonly dispatchDate: string;
  readonly minDeliveryDate: string;
  readonly maxDeliveryDate: string;
  /** Working days from the order day to delivery. */
  readonly minDeliveryDays: number;
  readonly maxDeliveryDays: number;
}

/**
 * Promises delivery dates: production, then transit, counted in working days of the fulfilling country (its weekend
 * and public holidays). The earliest date takes both minima, the latest both maxima and the carrier's padding.
 * @param from the day production may begin, YYYY-MM-DD in the producing place
 */
export function promiseDates(input: {
  readonly from: string;
  readonly calendar: WorkCalendar;
  readonly productionDays: DaySpan;
  readonly transitDays: DaySpan;
  /** Working days that the carrier's own estimate is known to miss by. */
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

/** The span that covers several shipments of one order: earliest and latest of all. */
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
