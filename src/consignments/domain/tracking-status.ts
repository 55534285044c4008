/**
 * Tracking statuses (schema `Tracking`) with the numbers of checkpoints. Partners already use 1, 2 and 6; the
 * other numbers follow the order of this list. `rank` is the progress; `final` statuses end tracking.
 */
export const TRACKING_STATUS = {
  registered: { number: 0, rank: 0, final: false },
  dispatched: { number: 7, rank: 1, final: false },
  in_transit: { number: 1, rank: 2, final: false },
  shipping_exception: { number: 4, rank: 2, final: false },
  out_for_delivery: { number: 2, rank: 3, final: false },
  failed_attempt: { number: 3, rank: 3, final: false },
  available_for_pickup: { number: 5, rank: 3, final: false },
  not_picked_up: { number: 9, rank: 4, final: false },
  returned: { number: 8, rank: 5, final: true },
  delivered: { number: 6, rank: 5, final: true },
} as const satisfies Record<string, { number: number; rank: number; final: boolean }>;

export type TrackingStatus = keyof typeof TRACKING_STATUS;

export const TRACKING_STATUSES = Object.keys(TRACKING_STATUS) as [TrackingStatus, ...TrackingStatus[]];

/** The parts of an event that decide a package's status: its progress, then its time. */
export interface StatusEvent {
  readonly statusUid: TrackingStatus;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/**
 * Returns the status of a package from its events, in any order: the status with the highest rank and, among equal
 * ranks, the latest. A delivered package stays delivered unless it is returned later.
 */
export function furthest(events: readonly StatusEvent[]): TrackingStatus {
  let best: StatusEvent | undefined;
  for (const event of events) {
    if (best === undefined) {
      best = event;
      continue;
    }
    const ahead = TRACKING_STATUS[event.statusUid].rank - TRACKING_STATUS[best.statusUid].rank;
    const later = Date.parse(event.occurredAt) - Date.parse(best.occurredAt);
    const number = TRACKING_STATUS[event.statusUid].number - TRACKING_STATUS[best.statusUid].number;
    if (ahead > 0 || (ahead === 0 && (later > 0 || (later === 0 && number > 0)))) best = event;
  }
  return best?.statusUid ?? 'registered';
}

/** Returns the order status of a tracking status, or null when the order does not show it. */
export function transitOf(status: TrackingStatus): 'in_transit' | 'delivered' | 'returned' | null {
  if (status === 'delivered' || status === 'returned') return status;
  return TRACKING_STATUS[status].rank >= TRACKING_STATUS.in_transit.rank ? 'in_transit' : null;
}

/** Statuses from a carrier's first scan on. */
export const SCANNED_STATUSES = TRACKING_STATUSES.filter((status) => transitOf(status) !== null);

/** Voided labels are checked rarely, since few of them are used. */
export const VOIDED_CHECK_HOURS = 24;

/** Days for which a parcel is followed. After them, its tracking number can belong to another parcel. */
export const FOLLOWED_DAYS = 90;

/** Returns the hours until the next tracking check, by status and age of the shipment, or null when tracking ends. */
export function nextCheckHours(status: TrackingStatus, ageDays: number, isVoided = false): number | null {
  if (TRACKING_STATUS[status].final || ageDays > FOLLOWED_DAYS) return null;
  if (isVoided) return VOIDED_CHECK_HOURS;
  if (status === 'out_for_delivery') return 1;
  if (ageDays > 30) return 24;
  return status === 'registered' ? 6 : 3;
}
