import { z } from 'zod';
import type { Account } from '../../src/accounts/account';
import type { CarrierEvent } from '../../src/carriers/carrier';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { archivedByTrackingNumber, readArchived } from '../../src/orders/reading/archived-order';
import { withRows } from '../../src/orders/reading/archived-tables';
import { day, moment, text } from '../../src/platform/domain/fields';
import { cutText } from '../../src/platform/domain/foreign-text';
import { SIZES } from '../../src/platform/domain/sizes';
import { type FieldError, MAX_ERRORS, Refusal } from '../../src/platform/errors';
import { verifySignature } from '../../src/platform/http/webhook-signature';
import { recordTrackingEvents } from '../../src/shipping/tracking/tracking';
import {
  readPublicTracking,
  renderTracking,
  renderUnknownTracking,
  TRACKING_PAGE_HEADERS,
} from '../../src/shipping/tracking/tracking-page';
import { readTracking, trackingSchema } from '../../src/shipping/tracking/tracking-view';
import type { ApiDeps } from '../deps';
import { callerNetwork } from '../http/caller-address';
import { fieldErrorSchema } from '../http/error-body';
import { fieldErrors } from '../http/field-errors';
import { createFailureLimiter } from '../http/request-limits';
import { openRoute, RawResponse, type Route, route } from '../http/route';

export function trackingRoute({ sql, objects }: Pick<ApiDeps, 'sql' | 'objects'>): Route {
  const readArchivedTracking = async (number: string, account: Account) => {
    for (const id of await archivedByTrackingNumber(sql, [number, number.replace(/\s+/g, '')])) {
      const archived = await readArchived({ sql, objects }, id);
      const tracking = archived && (await readTracking(sql, number, account, withRows(sql, archived)));
      if (tracking !== null) return tracking;
    }
    return null;
  };

  return route('GET /v1/tracking/{trackingNumber}', {
    operationId: 'getTracking',
    refuses: ['TRACKING_DETAILS_NOT_FOUND'],
    summary: 'Read where a package is',
    tag: 'Shipping',
    access: { credentials: 'key', roles: ['client', 'partner', 'operator'], operatorRole: 'viewer' },
    errors: 'tracking',
    params: z.object({ trackingNumber: z.string().min(1).max(100) }),
    response: trackingSchema,
    handler: async ({ params, account }) => {
      const { trackingNumber } = params;
      const tracking =
        (await readTracking(sql, trackingNumber, account)) ?? (await readArchivedTracking(trackingNumber, account));
      if (tracking === null) throw new Refusal('TRACKING_DETAILS_NOT_FOUND');
      return tracking;
    },
  });
}

/**
 * `GET /track/{code}`: the public tracking page, to which the tracking links of built-in carriers lead by a random id. A tracking
 * number opens it too, for callers of one address a limited number of times, because numbers are consecutive.
 */
export function trackingPageRoute({ sql }: Pick<ApiDeps, 'sql'>): Route {
  const byNumber = createFailureLimiter('tracking_number');
  return openRoute('GET /track/{code}', {
    operationId: 'getTrackingPage',
    refuses: ['RATE_LIMITED'],
    summary: 'Show where a package is',
    description:
      'A public HTML page with the steps of a package. It needs no key and shows no personal data: places are city and country at most. `code` is the random id of the tracking link, or the tracking number. 404 for an unknown one. 429 after ' +
      '100 numbers in an hour from one address; tracking links always work.',
    tag: 'Shipping',
    params: z.object({ code: z.string().min(1).max(100) }),
    response: z.unknown(),
    contentType: 'text/html',
    handler: async ({ params: { code }, address }) => {
      let tracking = await readPublicTracking(sql, { shortUid: code });
      if (tracking === null) {
        const network = callerNetwork(address);
        byNumber.check(network);
        byNumber.failed(network);
        tracking = await readPublicTracking(sql, { trackingNumber: code });
      }
      return tracking === null
        ? new RawResponse(404, TRACKING_PAGE_HEADERS, renderUnknownTracking())
        : new RawResponse(200, TRACKING_PAGE_HEADERS, renderTracking(tracking));
    },
  });
}

/** Errors of refused events that one log entry has. */
const LOGGED_ERRORS = 5;

/** A text of which the first characters are kept. */
const cut = (limit: number, schema = z.string()) =>
  schema.transform((value) => cutText(value, limit)).describe(`Longer texts are cut at ${limit} characters.`);

/** An event as it is recorded, or what is wrong with it. */
type ReceivedEvent = { readonly event: Omit<CarrierEvent, 'signedBy'> } | { readonly faults: readonly FieldError[] };

const carrierEventSchema = z
  .object({
    id: text(255).describe('The same for every copy of one event.'),
    trackingNumber: text(100),
    statusUid: z.enum(TRACKING_STATUSES),
    message: cut(500, z.string().regex(/\S/, 'Must not be blank.')),
    description: cut(2_000).optional(),
    location: cut(200).optional(),
    createdAt: moment().describe('When it happened.'),
    expectedDeliveryDate: day.or(z.literal('')).optional(),
  })
  .meta({ id: 'CarrierEvent' })
  .transform(
    ({ id, createdAt, location, expectedDeliveryDate, ...event }): ReceivedEvent => ({
      event: {
        ...event,
        eventId: id,
        occurredAt: createdAt,
        location: location || undefined,
        expectedDeliveryDate: expectedDeliveryDate || undefined,
      },
    }),
  )
  // An event that is not valid must not hold the events of other parcels: a carrier does not send others in its place.
  .catch(({ error, input }) => ({ faults: fieldErrors(error as z.ZodError, input) }));

/** `POST /v1/carriers/{carrierUid}/events`: receives tracking events from carriers. Repeated and late events are harmless. */
export function carrierEventsRoute({ sql, config, metrics }: Pick<ApiDeps, 'sql' | 'config' | 'metrics'>): Route {
  const secrets = config.CARRIER_WEBHOOK_SECRETS;
  const count = (carrier: string, events: Readonly<Record<'recorded' | 'repeated' | 'refused', number>>) => {
    for (const [outcome, added] of Object.entries(events))
      metrics.count('pressline_carrier_events_total', { carrier, outcome }, added);
  };
  for (const carrier of secrets?.keys() ?? []) count(carrier, { recorded: 0, repeated: 0, refused: 0 });
  return openRoute('POST /v1/carriers/{carrierUid}/events', {
    operationId: 'receiveCarrierEvents',
    summary: 'Report tracking events as a carrier',
    description:
      'Signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with a secret of this ' +
      'carrier. 401: the signature is missing or not valid, whatever the body. An event that is not valid does not hold ' +
      'the others. 429: more than 100 requests in a second from one address.',
    isRepeatable: true,
    tag: 'Carriers',
    params: z.object({ carrierUid: text(100) }),
    body: z
      .object({ events: z.array(carrierEventSchema).min(1).max(SIZES.carrierEvents.most) })
      .meta({ id: 'CarrierEvents' }),
    response: z
      .object({
        recorded: z.number(),
        repeated: z.number(),
        unknown: z.array(z.string()).describe('Tracking numbers without a package of this carrier.'),
        refused: z.number().describe('Events that are not valid. The others are recorded.'),
        errors: z
          .array(fieldErrorSchema)
          .optional()
          .describe(`What is wrong with the refused events, ${MAX_ERRORS} errors at most. Absent without one.`),
      })
      .meta({ id: 'RecordedCarrierEvents' }),
    isSigned: ({ params, headers, rawBody }) =>
      verifySignature(headers, rawBody, secrets?.get(String(params.carrierUid)) ?? []),
    handler: async ({ params, body, log }) => {
      const { carrierUid } = params;
      const signedBy = RATE_CARDS.find((card) => card.carrierUid === carrierUid)?.carrierName ?? carrierUid;
      const events = body.events.flatMap((each) => ('event' in each ? { ...each.event, signedBy } : []));
      const errors = body.events.flatMap((each, index) =>
        'faults' in each ? each.faults.map((fault) => within(`events[${index}]`, fault)) : [],
      );
      const { recorded, repeated, unknown } = await recordTrackingEvents(sql, carrierUid, events);
      const refused = body.events.length - events.length;
      count(carrierUid, { recorded, repeated, refused });
      log.info({ carrierUid, recorded, repeated, refused }, 'carrier events');
      if (refused === 0) return { recorded, repeated, unknown: [...unknown], refused };
      log.warn({ carrierUid, errors: errors.slice(0, LOGGED_ERRORS) }, 'carrier events refused');
      return { recorded, repeated, unknown: [...unknown], refused, errors: errors.slice(0, MAX_ERRORS) };
    },
  });
}

const within = (place: string, { reference, ...fault }: FieldError): FieldError => ({
  ...fault,
  reference: reference === '' ? place : `${place}.${reference}`,
});
