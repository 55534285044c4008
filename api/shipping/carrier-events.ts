import { z } from 'zod';
import { RATE_CARDS } from '../../src/carriers/domain/rate-cards';
import { TRACKING_STATUSES } from '../../src/consignments/domain/tracking-status';
import { day, moment, text } from '../../src/platform/domain/fields';
import { verifySignature } from '../../src/platform/http/webhook-signature';
import { recordTrackingEvents } from '../../src/shipping/tracking/tracking';
import type { ApiDeps } from '../deps';
import { openRoute, type Route } from '../http/route';

const carrierEventSchema = z
  .object({
    id: text(255).describe('The same for every copy of one event.'),
    trackingNumber: text(100),
    statusUid: z.enum(TRACKING_STATUSES),
    message: text(500),
    description: z.string().max(2_000).optional(),
    location: z.string().max(200).optional(),
    createdAt: moment().describe('When it happened.'),
    expectedDeliveryDate: day.optional(),
  })
  .meta({ id: 'CarrierEvent' });

/** `POST /v1/carriers/{carrierUid}/events`: receives tracking events from carriers. Repeated and late events are harmless. */
export function carrierEventsRoute({ sql, config }: Pick<ApiDeps, 'sql' | 'config'>): Route {
  const secrets = config.CARRIER_WEBHOOK_SECRETS;
  return openRoute({
    method: 'post',
    path: '/v1/carriers/{carrierUid}/events',
    operationId: 'receiveCarrierEvents',
    summary: 'Report tracking events as a carrier',
    description:
      'Signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with a secret of this carrier. 401: the ' +
      'signature is missing or not valid, whatever the body. 429: more than 100 requests in a second from one address.',
    tag: 'Carriers',
    params: z.object({ carrierUid: text(100) }),
    body: z.object({ events: z.array(carrierEventSchema).min(1).max(1_000) }).meta({ id: 'CarrierEvents' }),
    response: z
      .object({
        recorded: z.number(),
        repeated: z.number(),
        unknown: z.array(z.string()).describe('Tracking numbers without a package of this carrier.'),
      })
      .meta({ id: 'RecordedCarrierEvents' }),
    addressLimit: 'webhook',
    isSigned: ({ params, headers, rawBody }) =>
      verifySignature(headers, rawBody, secrets?.get(String(params.carrierUid)) ?? []),
    handler: async ({ params, body, log }) => {
      const { carrierUid } = params;
      const signedBy = RATE_CARDS.find((card) => card.carrierUid === carrierUid)?.carrierName ?? carrierUid;
      const result = await recordTrackingEvents(
        sql,
        carrierUid,
        body.events.map(({ id, createdAt, location, ...event }) => ({
          ...event,
          eventId: id,
          occurredAt: createdAt,
          location: location || undefined,
          signedBy,
        })),
      );
      log.info({ carrierUid, recorded: result.recorded, repeated: result.repeated }, 'carrier events');
      return { ...result, unknown: [...result.unknown] };
    },
  });
}
