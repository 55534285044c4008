import { z } from 'zod';
import { DELIVERY_STATES } from '../../src/notifications/delivery-log';
import type { EndpointEvent } from '../../src/notifications/endpoints';

const timestamp = z.iso.datetime();
/** Returns the schema of a choice of events. */
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
          '`gone`: the endpoint responded with 410 and was disabled. Enable it to receive notifications again.',
        ),
      createdAt: timestamp,
      updatedAt: timestamp,
    })
    .meta({ id });

export const secretSchema = z
  .string()
  .describe('`whsec_` and base64. Verifies `webhook-signature`. Returned only once.');

export const attemptSchema = z.object({
  at: timestamp,
  durationMs: z.number().int(),
  status: z.number().int().nullable().describe('HTTP status. Null when there was no response.'),
  error: z.string().nullable(),
  response: z.string().nullable().describe('Beginning of the response body.'),
});

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
