import { z } from 'zod';
import { timestamp } from '../platform/domain/fields';
import { type NotificationEvent, OPERATOR_EVENTS, type OperatorEvent } from './domain/event-schemas';

/** Clients' endpoints have notification events, operators' endpoints have operator events. */
export type EndpointEvent = NotificationEvent | OperatorEvent;

export const eventsSchema = (events: readonly EndpointEvent[]) =>
  z
    .array(z.enum(events))
    .min(1)
    .max(100)
    .transform((chosen) => [...new Set(chosen)])
    .describe('Events to send. Default: all.');

/** Returns the schema of an endpoint. @param id name in the OpenAPI document */
export const endpointSchema = (events: readonly EndpointEvent[], id: string) =>
  z
    .object({
      id: z.string(),
      url: z.string(),
      description: z.string(),
      events: z.array(z.enum(events)),
      enabled: z.boolean(),
      disabledReason: z
        .string()
        .nullable()
        .describe(
          '`gone`: the endpoint responded with 410 and was disabled. `key_revoked`: an operator disabled it, because a revoked key had set it up. Enable it to receive notifications again.',
        ),
      createdAt: timestamp,
      updatedAt: timestamp,
    })
    .meta({ id });

/** An endpoint to which the notifications of its owner are sent, a client or an operator. Without its secrets. */
export type Endpoint = z.output<ReturnType<typeof endpointSchema>>;

export const ownedEndpointSchema = endpointSchema(OPERATOR_EVENTS, 'OperatorWebhookEndpoint')
  .extend({ operator: z.object({ id: z.string(), name: z.string() }).describe('Its owner.') })
  .meta({ id: 'OwnedOperatorWebhookEndpoint' });
export type OwnedEndpoint = z.output<typeof ownedEndpointSchema>;

export const secretSchema = z
  .string()
  .describe('`whsec_` and base64. Verifies `webhook-signature`. Returned only once.');

const attemptSchema = z.object({
  at: z.iso.datetime(),
  durationMs: z.number().int(),
  status: z.number().int().nullable().describe('HTTP status. Null when there was no response.'),
  error: z.string().nullable(),
  response: z.string().nullable().describe('Beginning of the response body.'),
});

/** One attempt in the delivery log. */
export type Attempt = z.output<typeof attemptSchema>;

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;

export const deliverySchema = z
  .object({
    id: z.string(),
    messageId: z.string().describe('`webhook-id` of every attempt and `id` in the body.'),
    event: z.string(),
    orderId: z.string().nullable(),
    state: z.enum(DELIVERY_STATES).describe('`dead`: all attempts failed. Redeliver it when the endpoint works.'),
    attempts: z.array(attemptSchema).describe('The latest 20 attempts, oldest first.'),
    nextAttemptAt: timestamp.nullable(),
    createdAt: timestamp,
    settledAt: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.output<typeof deliverySchema>;

export const orderDeliverySchema = deliverySchema
  .extend({
    endpoint: z.object({
      id: z.string(),
      url: z.string(),
      enabled: z.boolean().describe('A disabled endpoint gets nothing before its owner enables it.'),
    }),
  })
  .meta({ id: 'OrderDelivery' });
export type OrderDelivery = z.output<typeof orderDeliverySchema>;

/** Deliveries that the figures of an endpoint are made from, so that their cost does not grow with the log. */
export const RECENT_DELIVERIES = 100;
export const MOST_COUNTED = 1_000;

/** How the latest deliveries to an endpoint went. */
export const endpointHealthSchema = z.object({
  dead: z.int().describe(`Number of dead letters, counted up to ${MOST_COUNTED}.`),
  recent: z
    .object({ delivered: z.int(), pending: z.int(), dead: z.int(), failedAttempts: z.int() })
    .describe(`The latest ${RECENT_DELIVERIES} deliveries by state, and the failed attempts among theirs.`),
  lastDeliveredAt: timestamp.nullable().describe('Among the latest deliveries.'),
  lastFailure: attemptSchema.nullable().describe('The latest failed attempt among the latest deliveries.'),
});
export type EndpointHealth = z.output<typeof endpointHealthSchema>;
