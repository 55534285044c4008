import type { z } from 'zod';
import type { PostalAddress } from '../../consignments/domain/consignment';
import type { TrackingStatus } from '../../consignments/domain/tracking-status';
import type { Config } from '../../platform/config';
import type { RateTable } from '../../platform/domain/money';
import { ratesAt } from '../../platform/exchange-rates';
import type { SafeClient } from '../../platform/http/safe-client';
import type { Sql } from '../../platform/postgres';
import { type CarrierAdapter, type CarrierDoubt, type CarrierEvent, quotedAt } from '../carrier';
import { createEasyPostApi, EASYPOST_UID, type EasyPostApi, type easyPostTracker, isRefusal } from './api';
import { address } from './parameters';
import { buyFromEasyPost, voidAtEasyPost } from './purchases';
import { quoteEasyPost } from './rates';

/** Timeout of each call. A purchase makes up to four calls, which must end before the next attempt begins. */
const TIMEOUT_MS = 8_000;

export interface EasyPostOptions {
  readonly apiKey: string;
  /** With the API version and a trailing slash: `https://api.easypost.com/v2/`. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs?: number;
  /** Downloads labels, which EasyPost stores outside its API. */
  readonly client: SafeClient;
  /** Returns the exchange rates of the day of a time. */
  readonly rates: (at: Date) => Promise<RateTable>;
}

/** Creates the adapter of EasyPost, a gateway to many carriers. It uses EasyPost's official client. */
export function createEasyPostGateway(options: EasyPostOptions): CarrierAdapter {
  const { apiKey, baseUrl, timeoutMs = TIMEOUT_MS, client } = options;
  const api = createEasyPostApi({ apiKey, baseUrl, timeoutMs });
  return {
    uid: EASYPOST_UID,
    quote: async (consignment) => quoteEasyPost(api, consignment, await options.rates(quotedAt(consignment))),
    buy: (request) => buyFromEasyPost({ api, client, timeoutMs }, request),
    void: ({ idempotencyKey }) => voidAtEasyPost(api, idempotencyKey),
    checkAddress: (receiver) => checkAtEasyPost(api, receiver),
    // EasyPost publishes a limit for lists only (5 requests a second) and limits other requests by its load
    // (https://docs.easypost.com/guides/rate-limiting-guide). A tracker is one request.
    trackingLimits: { batch: 20, perSecond: 20 },
    track: (trackingNumbers) => trackAtEasyPost(api, trackingNumbers),
  };
}

/** Fields of an address at EasyPost. Others are about the address as a whole, and stand at its street. */
const FIELDS: Readonly<Record<string, CarrierDoubt['field']>> = {
  street2: 'addressLine2',
  city: 'city',
  zip: 'postcode',
  state: 'state',
};

/** Returns the errors of EasyPost's verification of an address. @throws CarrierUnavailable */
async function checkAtEasyPost(api: EasyPostApi, receiver: PostalAddress): Promise<CarrierDoubt[]> {
  try {
    const verified = await api.verify(address(receiver));
    return (verified?.verifications?.delivery?.errors ?? []).map(({ field, message, suggestion }) => ({
      field: FIELDS[field ?? ''] ?? 'addressLine1',
      message: `EasyPost: ${message}`,
      suggestion: suggestion || null,
    }));
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}

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
async function trackAtEasyPost(api: EasyPostApi, trackingNumbers: readonly string[]): Promise<CarrierEvent[]> {
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

export function carrierGateways(
  config: Pick<Config, 'EASYPOST_API_KEY' | 'EASYPOST_API_URL'>,
  client: SafeClient,
  sql: Sql,
): CarrierAdapter[] {
  const { EASYPOST_API_KEY: apiKey, EASYPOST_API_URL: baseUrl } = config;
  if (apiKey === undefined) return [];
  return [createEasyPostGateway({ apiKey, baseUrl, client, rates: (at) => ratesAt(sql, at) })];
}
