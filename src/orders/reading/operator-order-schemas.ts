import { z } from 'zod';
import { TRACKING_STATUSES } from '../../consignments/domain/tracking-status';
import { POSTBACK_STATUSES } from '../../partners/domain/partner-protocol';
import { timestamp } from '../../platform/domain/fields';
import { SHIPMENT_STATUSES } from '../../shipping/purchase-rows';
import { CHANGE_STATES } from '../domain/change-outcome';
import { CLAIM_REASONS, CLAIM_STATUSES, LIABLE_SIDES } from '../domain/claim';
import { ATTENTION_REASONS } from '../domain/lifecycle/attention-reasons';
import { ATTENTION } from '../domain/lifecycle/rules/attention';
import { ITEM_STATUSES, PRINT_ORDER_STAGES } from '../domain/lifecycle/statuses';
import { PARTNER_EVENTS } from './order-reader';
import { retrievedOrderSchema } from './retrieved-order';

export const attentionReason = z.enum(ATTENTION_REASONS).meta({
  id: 'AttentionReason',
  description: `${ATTENTION_REASONS.map((reason) => `- \`${reason}\`: ${ATTENTION[reason].text}`).join('\n')}\n\ndocs/how-to/attention.md says what to do for each.`,
});
const time = z.iso.datetime({ offset: true });

const { id, orderReferenceId, clientId, fulfillmentStatus, financialStatus, archived } = retrievedOrderSchema.shape;

/** The fields of an order that lists show too. What clients retrieve has the schema of their order. */
const headSchema = z.object({
  id,
  orderReferenceId,
  clientId,
  clientName: z.string(),
  fulfillmentStatus,
  country: z.string(),
  attention: z.array(attentionReason).describe('The reasons why the order needs attention.'),
  archived,
  createdAt: timestamp,
  updatedAt: timestamp,
});

export const listedOrderSchema = headSchema.extend({
  methodUids: z.array(z.string()).describe('Methods of its planned shipments.'),
  partners: z.array(z.object({ id: z.string(), uid: z.string() })),
  recipient: z.string().describe('Name of the recipient. Empty for an archived order: read the order.'),
  amount: z
    .object({ totalInclVat: z.number(), currency: z.string() })
    .nullable()
    .describe('Sum of the receipts. Null before the order is priced.'),
  attentionSince: timestamp.nullable().describe('When the order got the oldest of its reasons.'),
  refusal: z.string().nullable().describe('Why the order was refused.'),
  reprintOf: z.string().nullable().describe('The order that this one makes again.'),
});

export const changeOutcomeSchema = z.object({
  state: z
    .enum(CHANGE_STATES)
    .describe('`waiting`: a partner was asked and has not responded. `refused`: the change has not worked.'),
  partnerUid: z.string().nullable().describe('The partner that has accepted or refused the change.'),
  message: z
    .string()
    .nullable()
    .describe('The words of who refused the change, or how many orders a bulk repair has repaired.'),
});

export const deliveryDates = z.object({
  minDeliveryDate: z.iso.date(),
  maxDeliveryDate: z.iso.date(),
  initialMinDeliveryDate: z.iso.date(),
  initialMaxDeliveryDate: z.iso.date(),
});

/** Postbacks of a print order that its order shows. */
export const LISTED_POSTBACKS = 100;

const postback = z.object({
  id: z.string(),
  status: z.enum(POSTBACK_STATUSES),
  at: time.describe('Time by the partner’s clock.'),
  message: z.string().nullable(),
  jobId: z.string().nullable().describe('The print job that the postback covers. Null: the whole print order.'),
  items: z.array(z.object({ jobId: z.string(), quantity: z.int().nullable() })).nullable(),
  trackingCode: z.string().nullable(),
  trackingLink: z.string().nullable(),
  receivedAt: time,
  handledAt: time.nullable().describe('Null: the workflow has not handled it yet.'),
  repetitions: z.int().describe('How often the partner has repeated it.'),
});

export const printOrder = z.object({
  id: z.string(),
  partnerId: z.string(),
  partnerUid: z.string(),
  kind: z.string(),
  version: z.string(),
  step: z.string().describe('The step of the order workflow that created it.'),
  status: z
    .enum(PRINT_ORDER_STAGES)
    .describe('`waiting`: a rerouted print order that no partner gets before the current partner has agreed to stop.'),
  reproducesId: z.string().nullable().describe('The print order that this one replaces or repeats.'),
  messageId: z.string().describe('`webhook-id` of its deliveries.'),
  acceptedAt: time.nullable(),
  dispatchDate: z.iso.date(),
  dispatchDueAt: time.describe('End of that day in the partner’s time zone.'),
  createdAt: time,
  promise: deliveryDates
    .extend({ methodUid: z.string(), methodName: z.string() })
    .nullable()
    .describe('Shipment method and delivery dates. `initial`: as first planned.'),
  jobs: z.array(
    z.object({
      id: z.string(),
      itemId: z.string(),
      quantity: z.int(),
      cancelledQuantity: z.int().describe('Units that the partner cancelled and no operator has handled yet.'),
      status: z.string(),
    }),
  ),
  shipments: z.array(
    z.object({
      id: z.string(),
      status: z.enum(SHIPMENT_STATUSES),
      shipmentMethodUid: z.string(),
      startedAt: time,
      boughtAt: time.nullable(),
      voidedAt: time.nullable(),
      trackingNumbers: z.array(z.string()),
    }),
  ),
  postbacks: z
    .array(postback)
    .describe(`The latest ${LISTED_POSTBACKS}, oldest first. The order’s timeline has all of them, in pages.`),
  postbackCount: z.int().describe('Postbacks about the print order, repetitions not counted.'),
});

export const storedOrderSchema = headSchema.extend({
  financialStatus,
  reprintOf: z.string().nullable().describe('The order that this one makes again.'),
  reprints: z.array(z.string()).describe('The orders that make this one again, oldest first.'),
  shippingRevision: z.int().describe('Number of changes of address or method.'),
  requestId: z.string().nullable(),
  refusal: z
    .object({ code: z.string(), reason: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
    .nullable(),
  items: z.array(
    z.object({
      id: z.string(),
      itemReferenceId: z.string(),
      productUid: z.string().nullable(),
      productName: z.string().nullable(),
      quantity: z.int(),
      fulfillmentStatus: z.enum(ITEM_STATUSES),
      surplusLabels: z
        .int()
        .describe(
          'Units in parcels with valid labels beyond those that are wanted: two parcels have labels for the same units, or ' +
            'the units were cancelled.',
        ),
    }),
  ),
  printOrders: z.array(printOrder),
  parcels: z
    .array(
      z.object({
        trackingNumber: z.string(),
        trackingUrl: z.string().nullable(),
        printOrderId: z.string(),
        shipmentId: z.string().nullable().describe('Null: the partner shipped with its own label.'),
        carrier: z.string().nullable(),
        status: z.enum(TRACKING_STATUSES),
        expectedDeliveryDate: z.iso.date().nullable(),
        checkedAt: time.nullable(),
        voided: z.boolean(),
      }),
    )
    .describe('All parcels with a tracking number, also those with a voided label.'),
  claims: z
    .array(
      z.object({
        id: z.string(),
        reason: z.enum(CLAIM_REASONS),
        status: z.enum(CLAIM_STATUSES),
        items: z.array(
          z.object({
            itemId: z.string(),
            itemReferenceId: z.string(),
            quantity: z.int(),
            outcome: z
              .enum(['replacing', 'replaced', 'refunded', 'refused'])
              .nullable()
              .describe('Null while the units are open. `replacing`: the order workflow was asked to make them again.'),
          }),
        ),
        note: z.string().nullable(),
        pictures: z.array(z.string()),
        madeBy: z.string().describe('`client`, or `operator` and a name.'),
        liable: z.enum(LIABLE_SIDES).nullable(),
        message: z.string().nullable().describe('What the client was told.'),
        replacementOrderId: z.string().nullable(),
        createdAt: time,
        decidedAt: time.nullable(),
      }),
    )
    .describe('Units that were lost, damaged or wrong, as the client or an operator has reported them. Oldest first.'),
  events: z
    .array(
      z.object({
        type: z.string(),
        itemId: z.string().nullable(),
        printOrderId: z.string().nullable(),
        data: z.record(z.string(), z.unknown()),
        at: time,
      }),
    )
    .describe(
      `Oldest first. Repairs carry \`by\` and \`reason\`. Of each type of postback about an item, the latest ${PARTNER_EVENTS.ofItem}. ` +
        'The timeline has all of them, in pages.',
    ),
});

export interface OperatorOrder extends z.output<typeof storedOrderSchema> {
  /** Set when the order ended without a final status, because no carrier follows its parcels. */
  readonly trackingEndedAt: Date | null;
}

export interface OperatorOrderSummary extends z.output<typeof listedOrderSchema> {
  readonly position: string;
}
