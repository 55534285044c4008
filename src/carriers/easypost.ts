import EasyPostClient from '@easypost/api';
import type { z } from 'zod';
import type { ConsignmentPackage, MethodQuote, Money } from '../consignments/domain/consignment';
import type { TrackingStatus } from '../consignments/domain/tracking-status';
import { REFERENCE_RATES } from '../platform/domain/exchange-rates';
import { convertMinor, toMinor, UnknownRateError } from '../platform/domain/money';
import type { SafeClient } from '../platform/http/safe-client';
import {
  type BuyOutcome,
  type CarrierAdapter,
  type CarrierEvent,
  CarrierUnavailable,
  type PurchaseRequest,
} from './carrier';
import { shipmentParameters } from './easypost-parameters';
import {
  type EasyPostRate,
  type EasyPostShipment,
  easyPostShipment,
  easyPostTracker,
} from './easypost-schemas';

const UID = 'easypost';
/** Every call ends by then: an attempt at a purchase must be over before the next one begins. */
const TIMEOUT_MS = 8_000;
/** How PDF and ZPL begin. */
const LABEL_START = /^\s*(%PDF-|\^XA|CT~~)/;
const LABEL_LIMIT_BYTES = 10 * 1024 * 1024;
/** Trackers read at the same time. */
const AT_ONCE = 5;

export interface EasyPostOptions {
  readonly apiKey: string;
  /** With the version and a slash at the end: `https://api.easypost.com/v2/`. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs?: number;
  /** Fetches labels, which lie outside the API. */
  readonly client: SafeClient;
}

const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '');
const methodUid = ({ carrier, service }: Pick<EasyPostRate, 'carrier' | 'service'>) =>
  `${UID}_${slug(carrier)}_${slug(service)}`;
/** `GroundAdvantage` as `Ground Advantage`. */
const spaced = (name: string) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');

/** EasyPost's tracking statuses; those that say nothing of the package's way are passed over. */
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

/** An error of the API client: a status code when EasyPost answered at all. */
interface ApiFault {
  readonly statusCode?: number;
  readonly code?: string;
  readonly message: string;
  readonly errors?: unknown;
}

/** Statuses that say "not now", or that our key is wrong: neither is the request's fault. */
const PASSING = new Set([401, 403, 408, 429]);

/** EasyPost, a gateway to many carriers, through its official client. */
export function createEasyPostGateway({
  apiKey,
  baseUrl,
  timeoutMs = TIMEOUT_MS,
  client: http,
}: EasyPostOptions): CarrierAdapter {
  const api = new EasyPostClient(apiKey, {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    requestMiddleware: (request: { timeout(ms: number): unknown }) => request.timeout(timeoutMs),
  });

  const away = (message: string, cause?: unknown) =>
    new CarrierUnavailable(UID, `EasyPost: ${message}`, { cause });

  /** An answer that has the shape it should; null for 404. @throws CarrierUnavailable, or ApiFault for a refusal */
  async function call<T extends z.ZodType>(
    schema: T,
    ask: () => Promise<unknown>,
  ): Promise<z.output<T> | null> {
    let answer: unknown;
    try {
      answer = await ask();
    } catch (error) {
      const { statusCode, message } = error as ApiFault;
      if (statusCode === 404) return null;
      if (statusCode !== undefined && statusCode >= 400 && statusCode < 500 && !PASSING.has(statusCode))
        throw error;
      throw away(statusCode === undefined ? 'no usable answer' : `status ${statusCode}, ${message}`, error);
    }
    const read = schema.safeParse(answer);
    if (!read.success) throw away('the answer could not be read', read.error);
    return read.data;
  }

  const create = (parameters: object) =>
    call(easyPostShipment, () =>
      api.Shipment.create(parameters as Parameters<typeof api.Shipment.create>[0]),
    );
  /** The API takes a shipment's reference in place of its id. */
  const byReference = (reference: string) =>
    call(easyPostShipment, () => api.Shipment.retrieve(encodeURIComponent(reference)));

  const isRefusal = (error: unknown): error is ApiFault =>
    !(error instanceof CarrierUnavailable) && typeof (error as ApiFault).statusCode === 'number';

  function refused(fault: ApiFault): BuyOutcome {
    return {
      ok: false,
      refusal: {
        code: fault.code ?? 'REFUSED',
        message: fault.message,
        ...(fault.errors ? { detail: { errors: fault.errors } } : {}),
      },
    };
  }

  async function purchased(shipment: EasyPostShipment): Promise<BuyOutcome> {
    const { selected_rate: rate, postage_label: label, tracking_code: trackingNumber } = shipment;
    if (!rate || !label || !trackingNumber) throw away('the purchase has no rate, label or tracking code');
    if (shipment.refund_status) {
      return { ok: false, refusal: { code: 'PURCHASE_VOIDED', message: 'This purchase was taken back.' } };
    }
    const zpl = label.label_url.toLowerCase().includes('.zpl');
    return {
      ok: true,
      purchase: {
        carrierUid: slug(rate.carrier),
        carrierName: rate.carrier,
        methodName: spaced(rate.service),
        trackingNumber,
        trackingUrl:
          shipment.tracker?.public_url ?? `https://track.easypost.com/${encodeURIComponent(trackingNumber)}`,
        cost: { minor: toMinor(rate.rate, rate.currency), currency: rate.currency },
        label: {
          kind: 'made',
          contentType: zpl ? 'application/zpl' : 'application/pdf',
          body: await download(label.label_url),
        },
        customsForm: 'commercial',
        tracking: 'polled',
      },
    };
  }

  async function download(url: string): Promise<Buffer> {
    const answer = await http.request({ url, timeoutMs, limitBytes: LABEL_LIMIT_BYTES });
    if (!answer.ok) throw away(`the label could not be fetched: ${answer.message}`);
    try {
      const body = Buffer.concat(await answer.body.toArray());
      if (answer.status !== 200 || !LABEL_START.test(body.subarray(0, 32).toString('latin1'))) {
        throw away(`the label is none: status ${answer.status}`);
      }
      return body;
    } catch (error) {
      throw error instanceof CarrierUnavailable ? error : away('the label could not be fetched', error);
    }
  }

  return {
    uid: UID,

    async quote(consignment) {
      // Packages alike are quoted once: each quote is a call.
      const kinds = new Map<string, { pack: ConsignmentPackage; count: number }>();
      for (const pack of consignment.packages) {
        const { packageReferenceId: _, ...alike } = pack;
        const key = JSON.stringify(alike);
        kinds.set(key, { pack, count: (kinds.get(key)?.count ?? 0) + 1 });
      }
      const totals = new Map<string, { rate: EasyPostRate; minor: number; kinds: number }>();
      try {
        for (const { pack, count } of kinds.values()) {
          const shipment = await create(shipmentParameters(consignment, pack));
          for (const rate of shipment?.rates ?? []) {
            const price = inCurrency(
              { minor: toMinor(rate.rate, rate.currency), currency: rate.currency },
              consignment.currency,
            );
            if (price === null) continue;
            const known = totals.get(methodUid(rate));
            totals.set(methodUid(rate), {
              rate,
              minor: (known?.minor ?? 0) + price * count,
              kinds: (known?.kinds ?? 0) + 1,
            });
          }
        }
      } catch (error) {
        // An address or package that EasyPost refuses has no methods there.
        if (isRefusal(error)) return [];
        throw error;
      }
      return [...totals.values()]
        .filter((total) => total.kinds === kinds.size)
        .map(({ rate, minor }) => quoteOf(rate, minor, consignment.currency));
    },

    async buy({
      consignment,
      packageIndex,
      methodUid: wanted,
      idempotencyKey,
      labelFormat,
    }: PurchaseRequest) {
      const pack = consignment.packages[packageIndex]!;
      try {
        const shipment =
          (await byReference(idempotencyKey)) ??
          (await create({
            ...shipmentParameters(consignment, pack, labelFormat),
            reference: idempotencyKey,
          }));
        if (shipment === null) throw away('a shipment could not be made');
        if (shipment.postage_label) return await purchased(shipment);
        const rate = shipment.rates.find((each) => methodUid(each) === wanted);
        if (rate === undefined) {
          return {
            ok: false,
            refusal: {
              code: 'METHOD_NOT_AVAILABLE',
              message: `EasyPost has no rate for ${wanted}.`,
              detail: { messages: shipment.messages ?? [] },
            },
          };
        }
        const bought = await call(easyPostShipment, () => api.Shipment.buy(shipment.id, rate.id));
        if (bought === null) throw away('the shipment is gone');
        return await purchased(bought);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // Bought by an attempt whose answer was lost.
        if (error.code === 'SHIPMENT.POSTAGE.EXISTS') {
          const shipment = await byReference(idempotencyKey);
          if (shipment?.postage_label) return await purchased(shipment);
        }
        return refused(error);
      }
    },

    async void({ idempotencyKey }) {
      const shipment = await byReference(idempotencyKey);
      if (!shipment?.postage_label || shipment.refund_status) return { ok: true };
      try {
        await call(easyPostShipment, () => api.Shipment.refund(shipment.id));
        return { ok: true };
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return { ok: false, reason: error.message };
      }
    },

    async track(trackingNumbers) {
      const events: CarrierEvent[] = [];
      for (let from = 0; from < trackingNumbers.length; from += AT_ONCE) {
        const trackers = await Promise.all(
          trackingNumbers.slice(from, from + AT_ONCE).map(async (code) => {
            try {
              return await call(easyPostTracker, () => api.Tracker.create({ tracking_code: code }));
            } catch (error) {
              if (isRefusal(error)) return null;
              throw error;
            }
          }),
        );
        for (const tracker of trackers) if (tracker !== null) events.push(...eventsOf(tracker));
      }
      return events;
    },
  };
}

function inCurrency(money: Money, currency: string): number | null {
  try {
    return convertMinor(money.minor, money.currency, currency, REFERENCE_RATES);
  } catch (error) {
    if (error instanceof UnknownRateError) return null;
    throw error;
  }
}

function quoteOf(rate: EasyPostRate, minor: number, currency: string): MethodQuote {
  const days = rate.delivery_days ?? rate.est_delivery_days ?? 10;
  return {
    carrierUid: slug(rate.carrier),
    carrierName: rate.carrier,
    methodUid: methodUid(rate),
    methodName: spaced(rate.service),
    price: { minor, currency },
    minDays: days,
    maxDays: days,
    paddingDays: 1,
    serviceType: /express|overnight|nextday|priority/i.test(rate.service) ? 'express' : 'standard',
    tracked: true,
  };
}

/** The day of a moment, YYYY-MM-DD; undefined for what is none. */
function dayOf(moment: string | null | undefined): string | undefined {
  const date = new Date(moment ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}

function eventsOf(tracker: z.output<typeof easyPostTracker>): CarrierEvent[] {
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
