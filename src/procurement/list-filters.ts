/** What lists are cut by: a period, and a page. */

/** Moments, both ends included; an open end is null. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** The millisecond after: answers cut stored microseconds off, and a period includes the moment it ends with. */
export function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1);
}

export interface PageRequest {
  /** From 1. */
  readonly pageNumber: number;
  readonly perPage: number;
}
