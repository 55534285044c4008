/** A period, both ends inclusive. An open end is null. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * Returns the exclusive end of a period: one millisecond later. Stored times have microseconds that responses truncate,
 * and a period includes the time with which it ends.
 */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1);
}

export interface PageRequest {
  /** From 1. */
  readonly pageNumber: number;
  readonly perPage: number;
}
