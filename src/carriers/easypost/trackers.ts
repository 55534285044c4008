import type { z } from 'zod';
import type { TrackingStatus } from '../../consignments/domain/tracking-status';
import type { CarrierEvent } from '../carrier';
import { type EasyPostApi, isRefusal } from './api';
import type { easyPostTracker } from './response-schemas';

/** Trackers that are read concurrently. */
const CONCURRENCY = 5;

/** Tracking statuses of EasyPost. Statuses that are not listed are ignored: they do not describe the package. */
const STATUSES: Readonly<Record<string, TrackingStatus>> = {
  pre_transit: 'registered',
  in_transit: 'in_transit',
  out_for_delivery: 'out_for_delivery',
  delivered: 'delivered',
  available_for_pickup: 'available_for_pickup',
  return_to_sender: 'returned',
  failure: 'failed_attempt',
  error: 'shipping_exception',
};

type Tracker = z.output<typeof easyPostTracker>;

/** Returns the events of tracking codes; codes that EasyPost does not know are left out. @throws CarrierUnavailable */
export async function trackAtEasyPost(api: EasyPostApi, trackingNumbers: readonly string[]): Promise<CarrierEvent[]> {
  const events: CarrierEvent[] = [];
  for (let from = 0; from < trackingNumbers.length; from += CONCURRENCY) {
    const batch = trackingNumbers.slice(from, from + CONCURRENCY);
    const trackers = await Promise.all(batch.map((code) => readTracker(api, code)));
    for (const tracker of trackers) if (tracker !== null) events.push(...eventsOf(tracker));
  }
  return events;
}

async function readTracker(api: EasyPostApi, trackingCode: string): Promise<Tracker | null> {
  try {
    return await api.tracker(trackingCode);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Returns the UTC day of a timestamp as YYYY-MM-DD, or undefined when it is not one. */
function dayOf(timestamp: string | null | undefined): string | undefined {
  const date = new Date(timestamp ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}

function eventsOf(tracker: Tracker): CarrierEvent[] {
  return tracker.tracking_details.flatMap((detail): CarrierEvent[] => {
    const statusUid = STATUSES[detail.status];
    const occurredAt = new Date(detail.datetime);
    if (statusUid === undefined || Number.isNaN(occurredAt.getTime())) return [];
    const place = detail.tracking_location;
    return [
      {
        trackingNumber: tracker.tracking_code,
        eventId: null,
        statusUid,
        message: detail.message ?? statusUid,
        description: detail.description ?? undefined,
        location: [place?.city, place?.state, place?.country].filter(Boolean).join(', ') || undefined,
        occurredAt: occurredAt.toISOString(),
        expectedDeliveryDate: dayOf(tracker.est_delivery_date),
        signedBy: tracker.carrier ?? 'EasyPost',
      },
    ];
  });
}
