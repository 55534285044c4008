import EasyPostClient from '@easypost/api';
import { z } from 'zod';
import { boundedValue, cleanValue, cutText } from '../../platform/domain/foreign-text';
import { progressed } from '../../platform/progress';
import { CarrierUnavailable } from '../carrier';

/** The parts of EasyPost's responses that the adapter reads. Other fields are ignored. */

/** Of a message about a shipment. */
const LONGEST_MESSAGE = 500;

/** Rates of a shipment that are read. EasyPost offers some dozens. */
const MOST_RATES = 500;
const name = z.string().min(1).max(100);
const days = z.number().min(0).max(365).nullish().catch(null);

const rate = z.object({
  id: name,
  carrier: name,
  service: name,
  rate: z.string().regex(/^\d{1,7}(\.\d{1,6})?$/),
  currency: z.string().length(3),
  delivery_days: days,
  est_delivery_days: days,
});
export type EasyPostRate = z.output<typeof rate>;

const easyPostShipment = z.object({
  id: z.string(),
  reference: z.string().nullish(),
  // One that no parcel has is left out: a carrier's odd rate must not take the others away.
  rates: z
    .array(z.unknown())
    .transform((rates) => rates.slice(0, MOST_RATES).flatMap((each) => rate.safeParse(each).data ?? [])),
  selected_rate: rate.nullish(),
  postage_label: z.object({ label_url: z.url(), label_zpl_url: z.url().nullish() }).nullish(),
  tracking_code: z.string().nullish(),
  tracker: z.object({ public_url: z.url().nullish() }).nullish(),
  refund_status: z.string().nullish(),
  messages: z
    .array(z.object({ carrier: z.string().nullish(), type: z.string().nullish(), message: z.unknown() }))
    .transform((messages) => boundedValue(messages, LONGEST_MESSAGE) as typeof messages)
    .nullish(),
});
const easyPostAddress = z.object({
  verifications: z
    .object({
      delivery: z
        .object({
          errors: z
            .array(
              z.object({
                field: z.string().nullish(),
                message: z.string(),
                suggestion: z.string().nullish().catch(null),
              }),
            )
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

export type EasyPostShipment = z.output<typeof easyPostShipment>;

export const easyPostTracker = z.object({
  tracking_code: z.string(),
  carrier: z.string().nullish(),
  est_delivery_date: z.string().nullish(),
  tracking_details: z.array(
    z.object({
      status: z.string(),
      message: z.string().nullish(),
      description: z.string().nullish(),
      datetime: z.string(),
      tracking_location: z
        .object({ city: z.string().nullish(), state: z.string().nullish(), country: z.string().nullish() })
        .nullish(),
    }),
  ),
});

/** Uid of the adapter; its method uids start with it. */
export const EASYPOST_UID = 'easypost';

/** Statuses that mean "try again later" or "the API key is wrong". Neither is the fault of the request. */
const UNAVAILABLE_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** Code points of a text of EasyPost that are kept. */
const LONGEST_TEXT = 2_000;
const LONGEST_CODE = 100;
const LONGEST_DETAIL = 500;

/** An error of the EasyPost client. It has a status code only when EasyPost responded. */
export interface ApiFault {
  readonly statusCode?: number;
  readonly code?: string;
  readonly message: string;
  readonly errors?: unknown;
}

/** Returns an error for a call without a usable response. */
export function unavailable(message: string, cause?: unknown): CarrierUnavailable {
  return new CarrierUnavailable(EASYPOST_UID, `EasyPost: ${message}`, { cause });
}

/** Returns true for an error by which EasyPost refused a request. */
export function isRefusal(error: unknown): error is ApiFault {
  return !(error instanceof CarrierUnavailable) && typeof (error as ApiFault).statusCode === 'number';
}

/**
 * Returns the checked response of a call, or null for a 404.
 * @throws CarrierUnavailable when there is no usable response; ApiFault when EasyPost refused the request
 */
async function call<T extends z.ZodType>(schema: T, request: () => Promise<unknown>): Promise<z.output<T> | null> {
  let response: unknown;
  try {
    response = await request();
  } catch (error) {
    const { statusCode, code, errors } = error as ApiFault;
    const message = cutText((error as ApiFault).message, LONGEST_TEXT);
    if (statusCode === 404) return null;
    const refused = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
    if (refused && !UNAVAILABLE_STATUSES.has(statusCode))
      throw Object.assign(new Error(message), {
        statusCode,
        ...(code && { code: cutText(String(code), LONGEST_CODE) }),
        errors: boundedValue(errors, LONGEST_DETAIL),
      });
    throw unavailable(statusCode === undefined ? 'no usable response' : `status ${statusCode}, ${message}`, error);
  } finally {
    progressed();
  }
  const parsed = schema.safeParse(response);
  if (!parsed.success) throw unavailable('the response could not be read', parsed.error);
  return cleanValue(parsed.data, LONGEST_TEXT);
}

/**
 * Returns the EasyPost calls that the adapter uses. Each call throws as `call` does.
 *
 * The client opens a new connection for each call (superagent without an agent). A call therefore never meets a
 * keep-alive connection that EasyPost has just closed, after which nobody could tell whether EasyPost had carried it out.
 */
export function createEasyPostApi(options: {
  readonly apiKey: string;
  readonly baseUrl: string | undefined;
  readonly timeoutMs: number;
}) {
  const { apiKey, baseUrl, timeoutMs } = options;
  const client = new EasyPostClient(apiKey, {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    requestMiddleware: (request: { timeout(ms: number): unknown }) => request.timeout(timeoutMs),
  });
  return {
    createShipment: (parameters: object) =>
      call(easyPostShipment, () => client.Shipment.create(parameters as Parameters<typeof client.Shipment.create>[0])),
    /** EasyPost accepts a shipment's reference in place of its id. */
    shipmentByReference: (reference: string) =>
      call(easyPostShipment, () => client.Shipment.retrieve(encodeURIComponent(reference))),
    buy: (shipmentId: string, rateId: string) => call(easyPostShipment, () => client.Shipment.buy(shipmentId, rateId)),
    refund: (shipmentId: string) => call(easyPostShipment, () => client.Shipment.refund(shipmentId)),
    /** Creates an address and verifies that mail is delivered to it. */
    verify: (address: object) =>
      call(easyPostAddress, () =>
        client.Address.create({ ...address, verify: true } as Parameters<typeof client.Address.create>[0]),
      ),
    /** Returns the tracker of a tracking code; EasyPost creates one where there is none. */
    tracker: (trackingCode: string) =>
      call(easyPostTracker, () => client.Tracker.create({ tracking_code: trackingCode })),
  };
}

export type EasyPostApi = ReturnType<typeof createEasyPostApi>;
