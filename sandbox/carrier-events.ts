import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { Logger } from '../src/platform/logging';
import type { JourneyName } from './behaviours';
import type { Answer, Outbound } from './outbound';
import type { Pace } from './pace';

/** One scan of a parcel, as a carrier reports it (statusUid: interface "States and transitions"). */
interface Scan {
  readonly statusUid: string;
  readonly message: string;
  readonly location: string;
  /** Place in time; the order in which the scans are sent is the order of the list. */
  readonly minute: number;
}

const scan = (statusUid: string, message: string, location: string, minute: number): Scan => ({
  statusUid,
  message,
  location,
  minute,
});

const registered = scan('registered', 'Shipment data received', '', 0);
const inTransit = scan('in_transit', 'Departed the sorting centre', 'Sorting centre', 1);
const outForDelivery = scan('out_for_delivery', 'Out for delivery', 'Delivery depot', 4);
const delivered = scan('delivered', 'Delivered', 'Receiver', 7);
const usual = [registered, inTransit, outForDelivery, delivered];

/** How parcels fare, as data. */
export const JOURNEYS: Readonly<Record<JourneyName, readonly Scan[]>> = {
  delivered: usual,
  returned: [
    registered,
    inTransit,
    outForDelivery,
    scan('failed_attempt', 'Nobody there to take the parcel', 'Delivery depot', 5),
    scan('available_for_pickup', 'Waiting at the pick-up point', 'Pick-up point', 6),
    scan('not_picked_up', 'Not picked up in time', 'Pick-up point', 8),
    scan('returned', 'Returned to sender', 'Sender', 9),
  ],
  troubled: [
    registered,
    inTransit,
    scan('shipping_exception', 'Held up by weather', 'Sorting centre', 2),
    scan('in_transit', 'On its way again', 'Sorting centre', 3),
    outForDelivery,
    scan('failed_attempt', 'Nobody there to take the parcel', 'Delivery depot', 5),
    delivered,
  ],
  disordered: [...usual].reverse().flatMap((entry) => [entry, entry]),
};

export interface CarrierEvent {
  /** The same for every copy of one scan. */
  readonly id: string;
  readonly trackingNumber: string;
  readonly statusUid: string;
  readonly message: string;
  readonly location: string;
  readonly createdAt: string;
}

export interface Parcel {
  readonly trackingNumber: string;
  readonly journey: JourneyName;
  readonly partner: string;
}

export type CarrierEntry =
  | { type: 'parcel'; parcel: Parcel; handedOverAt: string }
  | { type: 'scan'; trackingNumber: string; sent: number; statusUid: string; answer: number };

export interface SeenParcel {
  readonly trackingNumber: string;
  readonly carrierUid: string | null;
  readonly journey: JourneyName;
  readonly events: readonly { readonly statusUid: string; readonly answer: number }[];
}

/** The carriers' networks: scan what partners hand over and report the scans to Pressline. */
export interface Carriers {
  /** Takes a parcel; one that is under way already stays as it is. */
  handOver(parcel: Parcel): void;
  /** Goes on with the parcels that a stop or a kill left under way. */
  resume(): void;
  /** Signs and sends any events as the carrier. */
  send(carrierUid: string, events: readonly unknown[]): Promise<Answer>;
  seen(): SeenParcel[];
}

/** Events in one message: what piles up while the message before it is under way. */
const MOST_EVENTS = 100;

/** Times a tracking number is looked up that Pressline does not know (yet). */
const LOOKUPS = 8;

const trackingSchema = z.object({ carrierUid: z.string() });

interface TravellingParcel extends Parcel {
  readonly handedOverAt: string;
  carrierUid: string | null;
  readonly events: { statusUid: string; answer: number }[];
}

/**
 * Messages go to POST /v1/carriers/{carrierUid}/events as `{events: CarrierEvent[]}`, signed by Standard Webhooks
 * with the carriers' secret. Which carrier has a parcel is what GET /v1/tracking/{trackingNumber} says.
 */
export function createCarriers(deps: {
  /** `whsec_` and base64. */
  secret: string;
  /** Keys by partner: the sender of a parcel may ask for its tracking. */
  apiKeys: ReadonlyMap<string, string>;
  /** Whether parcels move by themselves. */
  moving: boolean;
  entries: readonly CarrierEntry[];
  write: (entry: CarrierEntry) => void;
  outbound: Outbound;
  pace: Pace;
  signal: AbortSignal;
  log: Logger;
}): Carriers {
  const { outbound, pace, signal, log } = deps;
  const webhook = new Webhook(deps.secret);
  const parcels = new Map<string, TravellingParcel>();
  const queues = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, { event: CarrierEvent; told: (answer: number) => void }[]>();

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
      const { statusUid, answer } = entry;
      parcels.get(entry.trackingNumber)?.events.push({ statusUid, answer });
    }
  }
  for (const entry of deps.entries) apply(entry);

  function send(carrierUid: string, events: readonly unknown[]): Promise<Answer> {
    const id = `msg_${randomUUID()}`;
    const body = JSON.stringify({ events });
    return outbound.send({
      method: 'POST',
      path: `/v1/carriers/${encodeURIComponent(carrierUid)}/events`,
      // Signed anew for each try: the receiver refuses old timestamps.
      headers: () => {
        const now = new Date();
        return {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': webhook.sign(id, now, body),
        };
      },
      body,
    });
  }

  /** Sends what has piled up for a carrier; one message of a carrier is under way at a time. */
  async function drain(carrierUid: string): Promise<void> {
    const queue = waiting.get(carrierUid) ?? [];
    const batch = queue.splice(0, MOST_EVENTS);
    if (batch.length === 0) return;
    const answer = await send(
      carrierUid,
      batch.map(({ event }) => event),
    );
    if (answer.status >= 300) log.warn({ carrierUid, answer }, 'carrier events refused');
    for (const { told } of batch) told(answer.status);
  }

  function report(carrierUid: string, event: CarrierEvent): Promise<number> {
    return new Promise((told, failed) => {
      const queue = waiting.get(carrierUid) ?? [];
      waiting.set(carrierUid, queue);
      queue.push({ event, told });
      const last = queues.get(carrierUid) ?? Promise.resolve();
      const next = last.then(() => drain(carrierUid));
      queues.set(
        carrierUid,
        next.catch(() => undefined),
      );
      next.catch(failed);
    });
  }

  async function carrierOf(parcel: TravellingParcel): Promise<string | null> {
    let lookups = 0;
    const answer = await outbound.send({
      method: 'GET',
      path: `/v1/tracking/${encodeURIComponent(parcel.trackingNumber)}`,
      headers: { 'x-api-key': deps.apiKeys.get(parcel.partner) ?? '' },
      again: ({ status }) => status === 404 && ++lookups < LOOKUPS,
    });
    const known = trackingSchema.safeParse(answer.body);
    if (answer.status === 200 && known.success) return known.data.carrierUid;
    log.warn({ trackingNumber: parcel.trackingNumber, answer }, 'no carrier knows this tracking number');
    return null;
  }

  async function travel(parcel: TravellingParcel): Promise<void> {
    const scans = JOURNEYS[parcel.journey];
    if (parcel.events.length >= scans.length) return;
    parcel.carrierUid = await carrierOf(parcel);
    if (parcel.carrierUid === null) return;
    for (let index = parcel.events.length; index < scans.length; index++) {
      const { minute, ...what } = scans[index]!;
      await wait(pace.checkpoint, undefined, { signal });
      const answer = await report(parcel.carrierUid, {
        id: `${parcel.trackingNumber}-${minute}`,
        trackingNumber: parcel.trackingNumber,
        ...what,
        createdAt: new Date(Date.parse(parcel.handedOverAt) + minute * pace.checkpoint).toISOString(),
      });
      enter({
        type: 'scan',
        trackingNumber: parcel.trackingNumber,
        sent: index + 1,
        statusUid: what.statusUid,
        answer,
      });
    }
  }

  function setOff(parcel: TravellingParcel): void {
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
      if (travelling !== undefined) setOff(travelling);
    },
    resume() {
      for (const parcel of parcels.values()) setOff(parcel);
    },
    send,
    seen: () =>
      [...parcels.values()].map(({ trackingNumber, carrierUid, journey, events }) => ({
        trackingNumber,
        carrierUid,
        journey,
        events,
      })),
  };
}
