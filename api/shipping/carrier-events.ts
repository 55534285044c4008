import { z } from 'zod';
import type { CarrierEvent } from '../../src/carriers/carrier';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { day, moment, text } from '../../src/platform/domain/fields';
import { cutText } from '../../src/platform/domain/foreign-text';
import { type FieldError, MAX_ERRORS } from '../../src/platform/errors';
import { verifySignature } from '../../src/platform/http/webhook-signature';
import { recordTrackingEvents } from '../../src/shipping/tracking/tracking';
import type { ApiDeps } from '../deps';
import { fieldErrorSchema } from '../http/errors/error-body';
import { fieldErrors } from '../http/errors/field-errors';
import { openRoute, type Route } from '../http/route';

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
  return openRoute({
    method: 'post',
    path: '/v1/carriers/{carrierUid}/events',
    operationId: 'receiveCarrierEvents',
    summary: 'Report tracking events as a carrier',
    description:
      'Signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with a secret of this ' +
      'carrier. 401: the signature is missing or not valid, whatever the body. An event that is not valid does not hold ' +
      'the others. 429: more than 100 requests in a second from one address.',
    isRepeatable: true,
    tag: 'Carriers',
    params: z.object({ carrierUid: text(100) }),
    body: z.object({ events: z.array(carrierEventSchema).min(1).max(1_000) }).meta({ id: 'CarrierEvents' }),
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
