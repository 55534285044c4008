/**
 * Tracking statuses (interface "State sets") with the numbers that checkpoints carry. 1, 2 and 6 are the numbers
 * known from the field; the others keep the order of the interface's list.
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

/** What decides between two events: how far they got, then which came later. */
export interface StatusEvent {
  readonly statusUid: TrackingStatus;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/**
 * The status that a package's events amount to, in whatever order they came: never less far than the furthest,
 * and among equally far ones the latest. A delivered package stays delivered unless it is returned later.
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

/** What an order makes of a tracking status; null: nothing that it shows. */
export function transitOf(status: TrackingStatus): 'in_transit' | 'delivered' | 'returned' | null {
  if (status === 'delivered' || status === 'returned') return status;
  return TRACKING_STATUS[status].rank >= TRACKING_STATUS.in_transit.rank ? 'in_transit' : null;
}

/** A label that was taken back is asked for seldom: hardly any travels. */
export const VOIDED_CHECK_HOURS = 24;

/** Hours until a carrier is asked again, by the age of the shipment; null: no more. */
export function nextCheckHours(status: TrackingStatus, ageDays: number, isVoided = false): number | null {
  if (TRACKING_STATUS[status].final || ageDays > 90) return null;
  if (isVoided) return VOIDED_CHECK_HOURS;
  if (status === 'out_for_delivery') return 1;
  if (ageDays > 30) return 24;
  return status === 'registered' ? 6 : 3;
}
