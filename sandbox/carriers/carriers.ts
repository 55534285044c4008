import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Logger } from '../../src/platform/logging/logging';
import type { JourneyName } from '../behaviour';
import type { Outbound, PresslineResponse } from '../outbound';
import type { Pace } from '../pace';
import { createEventSender } from './event-sender';
import { JOURNEYS } from './journeys';

export interface Parcel {
  readonly trackingNumber: string;
  readonly journey: JourneyName;
  /** Name of the partner that ships the parcel. */
  readonly partner: string;
}

/** What the journal keeps of the carriers. */
export type CarrierEntry =
  | { type: 'parcel'; parcel: Parcel; handedOverAt: string }
  | { type: 'scan'; trackingNumber: string; sent: number; statusUid: string; responseStatus: number };

export interface SeenParcel {
  readonly trackingNumber: string;
  readonly carrierUid: string | null;
  readonly journey: JourneyName;
  readonly events: readonly { readonly statusUid: string; readonly responseStatus: number }[];
}

/** The carriers: they scan parcels that partners hand over, and report the scans to Pressline. */
export interface Carriers {
  /** Accepts a parcel. Does nothing when the carriers have the parcel already. */
  handOver(parcel: Parcel): void;
  /** Continues with the parcels of the journal. */
  resume(): void;
  /** Signs any events and sends them as the carrier. */
  send(carrierUid: string, events: readonly unknown[]): Promise<PresslineResponse>;
  seen(): SeenParcel[];
}

/** Number of times a tracking number that Pressline does not know is looked up. */
const MAX_LOOKUPS = 8;

const trackingSchema = z.object({ carrierUid: z.string() });

interface TravellingParcel extends Parcel {
  readonly handedOverAt: string;
  carrierUid: string | null;
  readonly events: { statusUid: string; responseStatus: number }[];
}

/** Creates the carriers. GET /v1/tracking/{trackingNumber} names the carrier of a parcel. */
export function createCarriers(deps: {
  /** `whsec_` and base64, by carrier uid. */
  secrets: Readonly<Record<string, string>>;
  /** API keys by partner name. A partner may read the tracking of its own parcels. */
  apiKeys: ReadonlyMap<string, string>;
  /** False when parcels move only by the control API. */
  moving: boolean;
  entries: readonly CarrierEntry[];
  write: (entry: CarrierEntry) => void;
  outbound: Outbound;
  pace: Pace;
  signal: AbortSignal;
  log: Logger;
}): Carriers {
  const { outbound, pace, signal, log } = deps;
  const sender = createEventSender(deps);
  const parcels = new Map<string, TravellingParcel>();

  const enter = (entry: CarrierEntry) => {
    if (signal.aborted) return;
    deps.write(entry);
    apply(entry);
  };
  function apply(entry: CarrierEntry): void {
    if (entry.type === 'parcel') {
      const { parcel, handedOverAt } = entry;
      parcels.set(parcel.trackingNumber, { ...parcel, handedOverAt, carrierUid: null, events: [] });
    } else {
      const { statusUid, responseStatus } = entry;
      parcels.get(entry.trackingNumber)?.events.push({ statusUid, responseStatus });
    }
  }
  for (const entry of deps.entries) apply(entry);

  async function carrierOf(parcel: TravellingParcel): Promise<string | null> {
    let lookups = 0;
    const response = await outbound.send({
      method: 'GET',
      path: `/v1/tracking/${encodeURIComponent(parcel.trackingNumber)}`,
      headers: { 'x-api-key': deps.apiKeys.get(parcel.partner) ?? '' },
      retryOn: ({ status }) => status === 404 && ++lookups < MAX_LOOKUPS,
    });
    const known = trackingSchema.safeParse(response.body);
    if (response.status === 200 && known.success) return known.data.carrierUid;
    log.warn({ trackingNumber: parcel.trackingNumber, response }, 'no carrier knows this tracking number');
    return null;
  }

  async function travel(parcel: TravellingParcel): Promise<void> {
    const scans = JOURNEYS[parcel.journey];
    if (parcel.events.length >= scans.length) return;
    parcel.carrierUid = await carrierOf(parcel);
    // A carrier without a secret sends no events: Pressline reads the scans of a gateway.
    if (parcel.carrierUid === null || deps.secrets[parcel.carrierUid] === undefined) return;
    for (let index = parcel.events.length; index < scans.length; index++) {
      const { minute, ...scan } = scans[index]!;
      await wait(pace.checkpoint, undefined, { signal });
      const responseStatus = await sender.report(parcel.carrierUid, {
        id: `${parcel.trackingNumber}-${minute}`,
        trackingNumber: parcel.trackingNumber,
        ...scan,
        createdAt: new Date(Date.parse(parcel.handedOverAt) + minute * pace.checkpoint).toISOString(),
      });
      enter({
        type: 'scan',
        trackingNumber: parcel.trackingNumber,
        sent: index + 1,
        statusUid: scan.statusUid,
        responseStatus,
      });
    }
  }

  function startTravel(parcel: TravellingParcel): void {
    if (!deps.moving) return;
    travel(parcel).catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error, trackingNumber: parcel.trackingNumber }, 'carrier failed');
    });
  }

  return {
    handOver(parcel) {
      if (parcels.has(parcel.trackingNumber)) return;
      enter({ type: 'parcel', parcel, handedOverAt: new Date().toISOString() });
      const travelling = parcels.get(parcel.trackingNumber);
      if (travelling !== undefined) startTravel(travelling);
    },
    resume() {
      for (const parcel of parcels.values()) startTravel(parcel);
    },
    send: sender.send,
    seen: () =>
      [...parcels.values()].map(({ trackingNumber, carrierUid, journey, events }) => ({
        trackingNumber,
        carrierUid,
        journey,
        events,
      })),
  };
}
