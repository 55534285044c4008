import { z } from 'zod';
import { ATTENTION_REASONS, JOB_PROGRESS } from '../../src/orders/domain/lifecycle/run-state';
import {
  FINANCIAL_STATUSES,
  ITEM_STATUSES,
  ORDER_STATUSES,
} from '../../src/orders/domain/lifecycle/statuses';
import { text } from '../../src/platform/domain/fields';
import { routingDecisionSchema } from './routing-decision';

/** What operators read of an order, and what they can do to its run. */

const time = z.iso.datetime({ offset: true });
export const attention = z.array(z.enum(ATTENTION_REASONS)).describe('Why an operator should look at it.');

const postback = z.object({
  id: z.string(),
  status: z.string(),
  at: time.describe('The partner’s time.'),
  message: z.string().nullable(),
  jobId: z.string().nullable().describe('The one job it is about; null: the whole print order.'),
  items: z.array(z.object({ jobId: z.string(), quantity: z.int().nullable() })).nullable(),
  trackingCode: z.string().nullable(),
  trackingLink: z.string().nullable(),
  receivedAt: time,
  handledAt: time.nullable().describe('Null: on its way to the run, or the run had ended.'),
});

const printOrder = z.object({
  id: z.string(),
  partnerId: z.string(),
  partnerUid: z.string(),
  kind: z.string(),
  version: z.string(),
  step: z.string().describe('The step of the run that made it.'),
  status: z.string(),
  reproducesId: z.string().nullable().describe('The print order it makes again.'),
  messageId: z.string().describe('webhook-id of its deliveries.'),
  acceptedAt: time.nullable(),
  dispatchDate: z.iso.date(),
  createdAt: time,
  jobs: z.array(z.object({ id: z.string(), itemId: z.string(), quantity: z.int(), status: z.string() })),
  shipments: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      shipmentMethodUid: z.string(),
      startedAt: time,
      boughtAt: time.nullable(),
      voidedAt: time.nullable(),
      trackingNumbers: z.array(z.string()),
    }),
  ),
  postbacks: z.array(postback),
});

const run = z
  .object({
    version: z.int(),
    phase: z.enum(['preparing', 'running', 'closed']),
    held: z.boolean(),
    shippingRevision: z.int(),
    attention,
    items: z.array(z.object({ id: z.string(), quantity: z.int(), status: z.enum(ITEM_STATUSES) })),
    printOrders: z.array(
      z.object({
        id: z.string(),
        partnerId: z.string(),
        partnerUid: z.string(),
        dispatchDate: z.iso.date(),
        reproducesId: z.string().nullable(),
        delivery: z.enum(['pending', 'accepted', 'refused', 'undeliverable']),
        cancel: z.enum(['requested', 'confirmed', 'refused']).nullable(),
        transit: z.enum(['in_transit', 'delivered', 'returned']).nullable(),
        shipment: z.object({ id: z.string(), revision: z.int() }).nullable(),
        labelTakenBack: z
          .boolean()
          .optional()
          .describe('A label was voided after a change of address or method.'),
        strayParcel: z
          .boolean()
          .optional()
          .describe('A carrier has scanned a parcel under another label than the one that stands.'),
        jobs: z.array(
          z.object({
            id: z.string(),
            itemId: z.string(),
            quantity: z.int(),
            progress: z
              .union(Object.values(JOB_PROGRESS).map((value) => z.literal(value)))
              .describe('0 nothing said, 1 received, 2 printed, 3 shipped.'),
            progressAt: z.string().describe('The partner’s time of it; empty before the first word.'),
            error: z.object({ at: z.string(), message: z.string() }).nullable(),
            cancelledQuantity: z.int().describe('Units the partner cancelled and nobody has dealt with.'),
            cancelledAt: z.string().optional().describe('The partner’s time of the latest cancellation.'),
            cancelRequest: z
              .object({ reason: z.string(), refused: z.boolean() })
              .optional()
              .describe('An operator cancelled it, and its partner has not agreed.'),
            ended: z.enum(['cancelled', 'superseded']).nullable(),
          }),
        ),
      }),
    ),
  })
  .describe('The state of the run, asked of a worker.');

export const operatorOrderSchema = z
  .object({
    id: z.string(),
    orderReferenceId: z.string(),
    clientId: z.string(),
    clientName: z.string(),
    fulfillmentStatus: z.enum(ORDER_STATUSES),
    financialStatus: z.enum(FINANCIAL_STATUSES),
    country: z.string(),
    attention,
    shippingRevision: z.int().describe('Changes of address or method so far.'),
    requestId: z.string().nullable(),
    workflowId: z.string().describe('Of its run, for the Temporal UI.'),
    refusal: z
      .object({ code: z.string(), reason: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
      .nullable(),
    createdAt: time,
    updatedAt: time,
    items: z.array(
      z.object({
        id: z.string(),
        itemReferenceId: z.string(),
        productUid: z.string().nullable(),
        productName: z.string().nullable(),
        quantity: z.int(),
        fulfillmentStatus: z.enum(ITEM_STATUSES),
      }),
    ),
    printOrders: z.array(printOrder),
    routing: z.array(z.object({ step: z.string(), createdAt: time, decision: routingDecisionSchema })),
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
      .describe('Oldest first. What an operator did carries `by` and `reason`.'),
    run: run.nullable().describe('Null when no worker answers, and for orders whose run is no longer kept.'),
  })
  .meta({ id: 'OperatorOrder' });

export const attentionPageSchema = z
  .object({
    orders: z.array(
      z.object({
        id: z.string(),
        orderReferenceId: z.string(),
        clientId: z.string(),
        clientName: z.string(),
        fulfillmentStatus: z.enum(ORDER_STATUSES),
        country: z.string(),
        attention,
        createdAt: time,
        updatedAt: time,
      }),
    ),
    nextCursor: z.string().nullable().describe('Give it as cursor for the next page; null on the last.'),
  })
  .meta({ id: 'AttentionPage' });

const itemId = z.string().regex(/^\d{1,18}$/, 'must be a string that holds an integer');
const itemIds = z.array(itemId).min(1).max(500).nullish();
const reason = text(500).describe('Kept with the operator’s name in the order’s log.');

export const repairSchema = z
  .discriminatedUnion('action', [
    z.object({
      action: z
        .enum(['hold', 'release'])
        .describe('hold: nothing new is handed over until release; what partners have, they go on making.'),
      reason,
    }),
    z.object({
      action: z
        .literal('retry')
        .describe(
          'Sends print orders again that were refused, undeliverable or in error; a parked order is planned again.',
        ),
      itemIds: itemIds.describe('Default: every item that waits.'),
      reason,
    }),
    z.object({
      action: z
        .literal('cancel')
        .describe(
          'Cancels items for good, with a refund receipt. A partner that may still make them is asked first: until it ' +
            'agrees they stay as they are. Cancelled once more, they are cancelled whatever it says.',
        ),
      itemIds: itemIds.describe('Default: every item that has not shipped.'),
      reason,
    }),
    z.object({
      action: z
        .literal('dismiss')
        .describe(
          'Puts away what an order that has ended wants attention for. While it goes on, that follows from its facts.',
        ),
      reason,
    }),
    z.object({
      action: z
        .enum(['reroute', 'reproduce'])
        .describe(
          'A new print order, linked to the first. reroute: at another partner, in place of the one that has the item. ' +
            'reproduce: anew; units that wait for an operator are taken over, others are made in addition.',
        ),
      itemId,
      quantity: z.int().min(1).nullish().describe('Default: all units that wait, else the whole item.'),
      partnerId: z.uuid().nullish().describe('Default: routing chooses.'),
      reason,
    }),
  ])
  .meta({ id: 'Repair' });
export type RepairBody = z.output<typeof repairSchema>;
