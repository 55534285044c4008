import { z } from 'zod';
import type { NotificationEvent, OperatorEvent, TEST_EVENT } from './events';

/** Schemas of notifications as they are sent. Messages may gain fields. */

const message = {
  id: z.string().describe('Equal for every attempt, and equal to webhook-id: use it to recognize a repeated message.'),
  created: z.iso.datetime().describe('When the message was written.'),
};

const metadata = z.array(z.unknown()).readonly().describe('As ordered.');

const ofOrder = {
  orderId: z.string(),
  storeId: z.null(),
  orderReferenceId: z.string(),
  metadata,
};

const ofItem = {
  ...ofOrder,
  itemReferenceId: z.string(),
  metadata: metadata.describe('Of the item, as ordered.'),
  orderMetadata: metadata.describe('Of the order, as ordered.'),
};

const parcel = {
  trackingCode: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  shipmentMethodName: z.string(),
  shipmentMethodUid: z.string(),
  fulfillmentCountry: z.string(),
  fulfillmentStateProvince: z.string().nullable(),
  fulfillmentFacilityId: z.string(),
};

const fulfillment = z.object(parcel).describe('A parcel with units of an item.').meta({ id: 'WebhookFulfillment' });
export type Fulfillment = z.output<typeof fulfillment>;

const orderStatusUpdated = z
  .object({
    ...message,
    event: z.literal('order_status_updated'),
    ...ofOrder,
    fulfillmentStatus: z.string(),
    comment: z.string().nullable().describe('Why the order was refused; null otherwise.'),
    items: z
      .array(
        z.object({
          itemReferenceId: z.string(),
          fulfillmentStatus: z.string(),
          fulfillments: z.array(fulfillment).readonly(),
          metadata,
        }),
      )
      .readonly(),
  })
  .meta({ id: 'OrderStatusUpdated' });

const orderItemStatusUpdated = z
  .object({
    ...message,
    event: z.literal('order_item_status_updated'),
    ...ofItem,
    status: z.string(),
    comment: z.string().nullable().describe('Why production stopped; null otherwise.'),
    fulfillmentCountry: z.string().nullable(),
    fulfillmentStateProvince: z.string().nullable(),
    fulfillmentFacilityId: z.string().nullable(),
  })
  .meta({ id: 'OrderItemStatusUpdated' });

const orderItemTrackingCodeUpdated = z
  .object({
    ...message,
    event: z.literal('order_item_tracking_code_updated'),
    ...ofItem,
    ...parcel,
    trackingCode: z.string(),
  })
  .meta({ id: 'OrderItemTrackingCodeUpdated' });

const orderDeliveryEstimateUpdated = z
  .object({
    ...message,
    event: z.literal('order_delivery_estimate_updated'),
    ...ofOrder,
    minDeliveryDate: z.string().describe('YYYY-MM-DD.'),
    maxDeliveryDate: z.string().nullable().describe('YYYY-MM-DD.'),
  })
  .meta({ id: 'OrderDeliveryEstimateUpdated' });

const digest = {
  ...message,
  reason: z.string().describe('Attention reason, kind of message, or name of the job.'),
  count: z.int(),
  since: z.iso.datetime().describe('When the first of them was raised.'),
  link: z.string().describe('Page of the console.'),
};

const attentionRaised = z
  .object({
    ...digest,
    event: z.literal('attention_raised'),
    orders: z.array(z.object({ id: z.string(), orderReferenceId: z.string() })).describe('The first orders.'),
  })
  .meta({ id: 'AttentionRaised' });

const outboxDead = z
  .object({
    ...digest,
    event: z.literal('outbox_dead'),
    messages: z
      .array(z.object({ id: z.string(), target: z.string(), error: z.string().nullable() }))
      .describe('The first messages.'),
  })
  .meta({ id: 'OutboxDead' });

const jobFailed = z.object({ ...digest, event: z.literal('job_failed'), error: z.string() }).meta({ id: 'JobFailed' });

const endpointTest = z.object({ ...message, event: z.literal('endpoint_test') }).meta({ id: 'EndpointTest' });

type AnyEvent = NotificationEvent | OperatorEvent | typeof TEST_EVENT;

interface EventSchema<Event extends AnyEvent> {
  readonly schema: z.ZodType<{ readonly event: Event }>;
  readonly summary: string;
}

/** All events with their schemas, for the OpenAPI document and the client. */
export const EVENT_SCHEMAS = {
  order_status_updated: { schema: orderStatusUpdated, summary: 'The status of an order changed' },
  order_item_status_updated: {
    schema: orderItemStatusUpdated,
    summary: 'The status of an item changed',
  },
  order_item_tracking_code_updated: {
    schema: orderItemTrackingCodeUpdated,
    summary: 'A parcel of an item has a new tracking code',
  },
  order_delivery_estimate_updated: {
    schema: orderDeliveryEstimateUpdated,
    summary: 'The delivery dates are known for the first time, or changed',
  },
  attention_raised: {
    schema: attentionRaised,
    summary: 'Orders need attention (for endpoints of operators)',
  },
  outbox_dead: { schema: outboxDead, summary: 'Messages are dead (for endpoints of operators)' },
  job_failed: { schema: jobFailed, summary: 'A periodic job failed (for endpoints of operators)' },
  endpoint_test: { schema: endpointTest, summary: 'The test event, sent on request' },
} as const satisfies { readonly [Event in AnyEvent]: EventSchema<Event> };

type Payload<Schema extends z.ZodType> = Omit<z.input<Schema>, keyof typeof message | 'event'>;

/** The content of a notification to a client, without id, event and time. */
export type NotificationPayload = {
  readonly [Event in NotificationEvent]: {
    readonly event: Event;
    readonly payload: Payload<(typeof EVENT_SCHEMAS)[Event]['schema']>;
  };
}[NotificationEvent];
