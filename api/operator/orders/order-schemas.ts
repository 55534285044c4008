import { z } from 'zod';
import { TRACKING_STATUSES } from '../../../src/consignments/domain/tracking-status';
import { ATTENTION_REASONS } from '../../../src/orders/domain/lifecycle/attention';
import { WAITS_FOR } from '../../../src/orders/domain/lifecycle/next-step';
import { DELIVERIES, JOB_PROGRESS, STOP_REQUESTS } from '../../../src/orders/domain/lifecycle/run-state';
import {
  FINANCIAL_STATUSES,
  ITEM_STATUSES,
  ORDER_STATUSES,
  PRINT_ORDER_STAGES,
} from '../../../src/orders/domain/lifecycle/statuses';
import { POSTBACK_STATUSES } from '../../../src/partners/domain/postback-status';
import { routingDecisionSchema } from '../../../src/partners/domain/routing-decision';
import { timestamp } from '../../../src/platform/domain/fields';
import { SHIPMENT_STATUSES } from '../../../src/shipping/purchase-rows';
import { attentionReason } from './attention-reason';
import { possibleRepairsSchema } from './possible-repairs';

/** Schemas of orders as operators see them. */

/** What every route of operators for orders has in common. */
export const OPERATOR_ROUTE = { tag: 'Operator: orders' } as const;

/** What every route for one order has in common. */
export const OPERATOR_ORDER_ROUTE = {
  ...OPERATOR_ROUTE,
  params: z.object({
    orderId: z
      .string()
      .min(1)
      .max(100)
      .describe('The order’s id, or its reference. A reference finds the newest order that has it.'),
  }),
} as const;

const time = z.iso.datetime({ offset: true });
export const attention = z.array(attentionReason).describe('The reasons why the order needs attention.');

const deliveryDates = z.object({
  minDeliveryDate: z.iso.date(),
  maxDeliveryDate: z.iso.date(),
  initialMinDeliveryDate: z.iso.date(),
  initialMaxDeliveryDate: z.iso.date(),
});

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
});

const printOrder = z.object({
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
  jobs: z.array(z.object({ id: z.string(), itemId: z.string(), quantity: z.int(), status: z.string() })),
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
  postbacks: z.array(postback),
});

const NAMED = { id: true, partnerId: true, partnerUid: true } as const;

const run = z
  .object({
    version: z.int(),
    phase: z.enum(['preparing', 'running', 'closed']),
    held: z.boolean(),
    shippingRevision: z.int(),
    attention,
    deadlines: z
      .array(
        z.object({
          reason: z.enum([...ATTENTION_REASONS, 'reminder', 'stop', 'tracking_check', 'tracking_end']),
          printOrderId: z.string().nullable(),
          dueAt: time,
          passed: z.boolean(),
        }),
      )
      .describe(
        'Earliest first. A partner’s deadline for printing and dispatch is the end of the dispatch date in its time zone. ' +
          '`reminder`: the print order is delivered once more. `stop`: timeout of a print order that waits until the current partner stops. ' +
          '`tracking_check`: the order ends when no carrier follows its parcels. `tracking_end`: the order ends.',
      ),
    items: z.array(z.object({ id: z.string(), quantity: z.int(), status: z.enum(ITEM_STATUSES) })),
    printOrders: z.array(
      printOrder.pick({ ...NAMED, dispatchDate: true, dispatchDueAt: true, reproducesId: true }).extend({
        delivery: z.enum(DELIVERIES),
        cancel: z.enum(['requested', 'confirmed', 'refused']).nullable(),
        transit: z.enum(['in_transit', 'delivered', 'returned']).nullable(),
        shipment: z.object({ id: z.string(), revision: z.int() }).nullable(),
        labelTakenBack: z
          .boolean()
          .optional()
          .describe('True when a label was voided after a change of address or method.'),
        strayParcel: z
          .boolean()
          .optional()
          .describe('True when a carrier has scanned a parcel under a label other than the current one.'),
        update: z
          .object({
            revision: z.int().describe('The shipping revision that the partner must get.'),
            status: z.enum(['waiting', 'sending', 'accepted', 'failed']),
          })
          .optional()
          .describe('The order update for the latest change of address or method.'),
        jobs: z.array(
          z.object({
            id: z.string(),
            itemId: z.string(),
            quantity: z.int(),
            progress: z
              .union(Object.values(JOB_PROGRESS).map((value) => z.literal(value)))
              .describe('0 none, 1 received, 2 printed, 3 shipped.'),
            progressAt: z
              .string()
              .describe('Time of the latest progress by the partner’s clock. Empty before the first.'),
            error: z.object({ at: z.string(), message: z.string() }).nullable(),
            cancelledQuantity: z.int().describe('Units that the partner cancelled and no operator has handled yet.'),
            cancelledAt: z.string().optional().describe('Time of the latest cancellation by the partner’s clock.'),
            cancelRequest: z
              .object({ reason: z.string(), refused: z.boolean() })
              .optional()
              .describe('Set when an operator cancelled the job and the partner has not confirmed.'),
            stopRequest: z
              .enum(STOP_REQUESTS)
              .optional()
              .describe(
                'Present when the partner was asked to stop because its units are rerouted: its response. ' +
                  '`unanswered`: the timeout has passed. `forced`: an operator did not wait for it.',
              ),
            ended: z.enum(['cancelled', 'superseded']).nullable(),
          }),
        ),
      }),
    ),
    waitingReroutes: z
      .array(
        z.object({
          action: z.enum(['reroute', 'reproduce']),
          printOrder: printOrder.pick(NAMED),
          units: z.array(z.object({ jobId: z.string(), quantity: z.int() })),
          until: timestamp.describe('Timeout of the current partner’s response.'),
        }),
      )
      .describe('Rerouted print orders, which are delivered as soon as the current partner has agreed to stop.'),
  })
  .describe('The state of the order workflow.');

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
    shippingRevision: z.int().describe('Number of changes of address or method.'),
    requestId: z.string().nullable(),
    workflowId: z.string().describe('Id of the order workflow in Temporal.'),
    refusal: z
      .object({ code: z.string(), reason: z.string(), details: z.record(z.string(), z.unknown()).nullable() })
      .nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
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
    consoleUrl: z.url().describe('The order’s page in the console.'),
    temporalUrl: z.url().nullable().describe('The workflow in the Temporal UI. Null without TEMPORAL_UI_URL.'),
    promise: deliveryDates
      .extend({ dispatchDate: z.iso.date() })
      .nullable()
      .describe('Dates of all print orders together. Null before the order is planned.'),
    nextStep: z
      .object({
        who: z.enum(['client', 'pressline', 'operator', 'partner', 'carrier', 'nobody']),
        waitsFor: z.enum(WAITS_FOR),
        printOrderId: z.string().nullable(),
        partnerId: z.string().nullable(),
        partnerUid: z.string().nullable(),
        dueAt: time.nullable().describe('For the carrier: the end of the latest promised delivery date.'),
      })
      .describe('Who has to act next, what the order waits for, and until when.'),
    possibleRepairs: possibleRepairsSchema,
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
    routing: z.array(z.object({ step: z.string(), createdAt: timestamp, decision: routingDecisionSchema })),
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
      .describe('Oldest first. Repairs carry `by` and `reason`.'),
    run: run.nullable().describe('Null when no worker responds, or when Temporal no longer has the workflow.'),
  })
  .meta({ id: 'OperatorOrder' });
