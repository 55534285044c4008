import { z } from 'zod';

/** The events of notifications (docs/notifications.md). */
export const NOTIFICATION_EVENTS = [
  'order_status_updated',
  'order_item_status_updated',
  'order_item_tracking_code_updated',
  'order_delivery_estimate_updated',
  'order_cancel_refused',
  'order_item_units_cancelled',
  'order_file_requested',
  'order_files_delayed',
  'claim_status_updated',
] as const;

export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** The events of operators' endpoints: an order needs attention, a message is dead, a periodic job has failed. */
export const OPERATOR_EVENTS = ['attention_raised', 'outbox_dead', 'job_failed'] as const;

export type OperatorEvent = (typeof OPERATOR_EVENTS)[number];

/** The test event. It is sent on request, to endpoints with any set of events. */
export const TEST_EVENT = 'endpoint_test';

/** Schemas of notifications as they are sent. Messages may gain fields. */

const leftOut = z
  .record(z.string(), z.int())
  .optional()
  .describe('Present in a shortened message: the number of entries that each list lacks. Read the order for them.');

const message = {
  id: z.string().describe('Equal for every attempt, and equal to webhook-id: use it to recognize a repeated message.'),
  created: z.iso.datetime().describe('When the message was written.'),
  leftOut,
};

const metadata = z.array(z.unknown()).readonly().describe('As ordered.');

const parcel = {
  quantity: z.int().describe('Units of the item in the parcel.'),
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

const fileCheck = z
  .object({
    fileType: z.string(),
    code: z.string(),
    severity: z.string().describe('`warning` or `error`.'),
    page: z.int().nullable(),
    measured: z.string(),
    wanted: z.string(),
    message: z.string(),
  })
  .describe('A finding in a print file.')
  .meta({ id: 'WebhookFileCheck' });
export type FileCheck = z.output<typeof fileCheck>;

/** A status under both names: events of orders and of items have the same fields. */
const status = { status: z.string(), fulfillmentStatus: z.string().describe('Equal to `status`.') };
const refusalReasonCode = z.string().nullable().describe('Code of the refusal of the order; null otherwise.');

type AnyEvent = NotificationEvent | OperatorEvent | typeof TEST_EVENT;

/** Returns the schema of an event. @param id its name in the OpenAPI document */
const ofEvent = <Event extends AnyEvent, Fields extends z.ZodRawShape>(event: Event, id: string, fields: Fields) =>
  z.object({ ...message, event: z.literal(event), ...fields }).meta({ id });

/** The fields that name an order. Every event of an order or item has them. */
const orderFields = { orderId: z.string(), storeId: z.null(), orderReferenceId: z.string() };
export type NotifiedOrder = z.output<z.ZodObject<typeof orderFields>>;

const ofOrder = <Event extends NotificationEvent, Fields extends z.ZodRawShape>(
  event: Event,
  id: string,
  fields: Fields,
) =>
  ofEvent(event, id, {
    ...orderFields,
    metadata,
    ...fields,
  });

const ofItem = <Event extends NotificationEvent, Fields extends z.ZodRawShape>(
  event: Event,
  id: string,
  fields: Fields,
) =>
  ofOrder(event, id, {
    itemReferenceId: z.string(),
    metadata: metadata.describe('Of the item, as ordered.'),
    orderMetadata: metadata.describe('Of the order, as ordered.'),
    ...fields,
  });

const digest = <Event extends OperatorEvent, Fields extends z.ZodRawShape>(event: Event, id: string, fields: Fields) =>
  ofEvent(event, id, {
    reason: z.string().describe('Attention reason, kind of message, or name of the job.'),
    count: z.int(),
    since: z.iso.datetime().describe('When the first of them was raised.'),
    link: z.string().describe('Page of the console.'),
    ...fields,
  });

/** All events with their schemas, for the OpenAPI document and the client. */
export const EVENT_SCHEMAS = {
  order_status_updated: {
    summary: 'The status of an order changed',
    schema: ofOrder('order_status_updated', 'OrderStatusUpdated', {
      ...status,
      comment: z.string().nullable().describe('Why the order was refused; null otherwise.'),
      refusalReasonCode,
      items: z
        .array(
          z.object({
            itemReferenceId: z.string(),
            ...status,
            fulfillments: z.array(fulfillment).readonly(),
            fileChecks: z.array(fileCheck).readonly().describe('What was found in the print files of the item.'),
            metadata,
            leftOut,
          }),
        )
        .readonly()
        .describe('Items with a new status first.'),
    }),
  },
  order_item_status_updated: {
    summary: 'The status of an item changed',
    schema: ofItem('order_item_status_updated', 'OrderItemStatusUpdated', {
      ...status,
      comment: z.string().nullable().describe('Why production stopped; null otherwise.'),
      refusalReasonCode,
      fulfillmentCountry: z.string().nullable(),
      fulfillmentStateProvince: z.string().nullable(),
      fulfillmentFacilityId: z.string().nullable(),
    }),
  },
  order_item_tracking_code_updated: {
    summary: 'A parcel of an item has a new tracking code',
    schema: ofItem('order_item_tracking_code_updated', 'OrderItemTrackingCodeUpdated', {
      ...parcel,
      trackingCode: z.string(),
    }),
  },
  order_delivery_estimate_updated: {
    summary: 'The delivery dates are known for the first time, or changed',
    schema: ofOrder('order_delivery_estimate_updated', 'OrderDeliveryEstimateUpdated', {
      minDeliveryDate: z.string().describe('YYYY-MM-DD.'),
      maxDeliveryDate: z.string().nullable().describe('YYYY-MM-DD.'),
    }),
  },
  order_cancel_refused: {
    summary: 'A print partner refused to cancel items, or units of them',
    schema: ofOrder('order_cancel_refused', 'OrderCancelRefused', {
      ...status,
      items: z
        .array(z.object({ itemReferenceId: z.string(), ...status, metadata, leftOut }))
        .readonly()
        .describe('The items that the partner goes on to make.'),
    }),
  },
  order_item_units_cancelled: {
    summary: 'Units of an item were cancelled, and the rest of it goes on',
    schema: ofItem('order_item_units_cancelled', 'OrderItemUnitsCancelled', {
      ...status,
      quantity: z.int().describe('Units that were cancelled now.'),
      cancelledQuantity: z.int().describe('All units of the item that were cancelled while the rest of it went on.'),
    }),
  },
  order_file_requested: {
    summary: 'An operator asks for another print file of an item',
    schema: ofItem('order_file_requested', 'OrderFileRequested', {
      fileType: z.string().describe('Type of the file, as ordered.'),
      message: z.string().describe('What is wrong with the file, in the words of the operator.'),
    }),
  },
  order_files_delayed: {
    summary: 'Print files could not be fetched for five minutes',
    schema: ofOrder('order_files_delayed', 'OrderFilesDelayed', {
      message: z.string().describe('Which file, and why the latest attempt failed.'),
      attempts: z.int(),
      nextAttemptAt: z.iso.datetime(),
    }),
  },
  claim_status_updated: {
    summary: 'A claim was made, or an operator has decided on it',
    schema: ofOrder('claim_status_updated', 'ClaimStatusUpdated', {
      claimId: z.string(),
      reason: z.string().describe('`parcel_lost`, `damaged` or `wrong_item`.'),
      status: z.string().describe('`open`, `refunded`, `replaced` or `refused`.'),
      items: z
        .array(z.object({ itemReferenceId: z.string(), quantity: z.int() }))
        .readonly()
        .describe('The claimed units.'),
      note: z.string().nullable(),
      pictures: z.array(z.string()).readonly(),
      message: z.string().nullable().describe('The operator’s words to the client.'),
      replacementOrderId: z.string().nullable().describe('The order that replaces the units, when a new one does.'),
    }),
  },
  attention_raised: {
    summary: 'Orders need attention (for endpoints of operators)',
    schema: digest('attention_raised', 'AttentionRaised', {
      orders: z.array(z.object({ id: z.string(), orderReferenceId: z.string() })).describe('The first orders.'),
    }),
  },
  outbox_dead: {
    summary: 'Messages are dead (for endpoints of operators)',
    schema: digest('outbox_dead', 'OutboxDead', {
      messages: z
        .array(z.object({ id: z.string(), target: z.string(), error: z.string().nullable() }))
        .describe('The first messages.'),
    }),
  },
  job_failed: {
    summary: 'A periodic job failed (for endpoints of operators)',
    schema: digest('job_failed', 'JobFailed', { error: z.string() }),
  },
  endpoint_test: {
    summary: 'The test event, sent on request',
    schema: ofEvent('endpoint_test', 'EndpointTest', {}),
  },
} as const satisfies {
  readonly [Event in AnyEvent]: {
    readonly schema: z.ZodType<{ readonly event: Event }>;
    readonly summary: string;
  };
};

type Payload<Schema extends z.ZodType> = Omit<z.input<Schema>, keyof typeof message | 'event'>;

/** The content of a notification to a client, without id, event and time. */
export type NotificationPayload = {
  readonly [Event in NotificationEvent]: {
    readonly event: Event;
    readonly payload: Payload<(typeof EVENT_SCHEMAS)[Event]['schema']>;
  };
}[NotificationEvent];
