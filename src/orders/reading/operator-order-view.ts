import { z } from 'zod';
import { routingDecisionSchema } from '../../partners/domain/routing-decision';
import { timestamp } from '../../platform/domain/fields';
import { orderWorkflowId } from '../../platform/domain/workflows';
import { ATTENTION_REASONS } from '../domain/lifecycle/attention-reasons';
import { printOrderTransit } from '../domain/lifecycle/facts/jobs';
import { WAITS_FOR } from '../domain/lifecycle/rules/next-step';
import { DELIVERIES, JOB_PROGRESS, STOP_REQUESTS } from '../domain/lifecycle/run-state';
import { ITEM_STATUSES } from '../domain/lifecycle/statuses';
import type { RunView } from '../domain/run/run-messages';
import {
  changeOutcomeSchema,
  deliveryDates,
  type OperatorOrder,
  printOrder,
  storedOrderSchema,
} from './operator-order-schemas';
import { impossibleRepairsSchema, possibleRepairsSchema } from './possible-repairs';

const time = z.iso.datetime({ offset: true });
const NAMED = { id: true, partnerId: true, partnerUid: true } as const;

const runSchema = z
  .object({
    version: z.int(),
    phase: z.enum(['preparing', 'running', 'closed']),
    held: z.boolean(),
    shippingRevision: z.int(),
    attention: storedOrderSchema.shape.attention,
    stalled: z
      .object({ steps: z.array(z.string()).describe('The steps that were running.'), message: z.string() })
      .optional()
      .describe('The step that has not succeeded for a long time, with its error. Absent without one.'),
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
        ioss: z
          .boolean()
          .optional()
          .describe('True when the client has an IOSS number: units that end can change the VAT on the import.'),
        update: z
          .object({
            revision: z.int().describe('Number of the update among those of its print order.'),
            changes: z
              .enum(['units', 'both', 'none'])
              .optional()
              .describe(
                'What the partner has to accept beside files. Absent: the address or the method. `both`: units too. `none`: nothing.',
              ),
            files: z.boolean().optional().describe('True when print files were replaced.'),
            status: z.enum(['waiting', 'sending', 'accepted', 'failed']),
          })
          .optional()
          .describe('The order update for the latest change of address, method, units or files.'),
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
            unitsRequest: z
              .object({ quantity: z.int(), reason: z.string(), refused: z.boolean() })
              .optional()
              .describe('Units that the partner was asked not to make. Absent when it has agreed.'),
            stopRequest: z
              .enum(STOP_REQUESTS)
              .optional()
              .describe(
                'Present when the partner was asked to stop because its units are rerouted: its response. ' +
                  '`unanswered`: the timeout has passed. `forced`: an operator did not wait for it.',
              ),
            claimed: z
              .boolean()
              .optional()
              .describe('True when all units have shipped, and are made again after a claim.'),
            lostQuantity: z.int().optional().describe('Units that were refunded because their parcel was lost.'),
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
    ...storedOrderSchema.shape,
    workflowId: z.string().describe('Id of the order workflow in Temporal.'),
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
    latestChange: changeOutcomeSchema
      .extend({ type: z.string().describe('Type of its event.'), by: z.string(), at: time })
      .nullable()
      .describe('The latest change by an operator or the client, and what came of it.'),
    problem: z
      .object({
        type: z.string().describe('Type of its event, or the attention reason of a flag.'),
        partnerUid: z.string().nullable(),
        message: z.string(),
      })
      .nullable()
      .describe(
        'The latest sentence of a partner, a host, the workflow or a flag about what is wrong. Null while nothing is.',
      ),
    failingSteps: z
      .array(
        z.object({
          step: z.string().describe('Name of the activity, such as `fetchOrderFiles`.'),
          attempts: z.int(),
          message: z.string().describe('Error of the latest attempt.'),
          nextAttemptAt: timestamp.nullable().describe('Null while the next attempt is made.'),
        }),
      )
      .describe('Steps of the workflow that have failed and are tried again. Empty while Temporal does not respond.'),
    possibleRepairs: possibleRepairsSchema,
    impossibleRepairs: impossibleRepairsSchema,
    routing: z.array(z.object({ step: z.string(), createdAt: timestamp, decision: routingDecisionSchema })),
    run: runSchema.nullable().describe('Null when no worker responds, or when Temporal no longer has the workflow.'),
  })
  .meta({ id: 'OperatorOrder' });

export function storedOrderView({ trackingEndedAt: _, ...order }: OperatorOrder) {
  return { ...order, workflowId: orderWorkflowId(order.id), promise: promiseOf(order) };
}

/** Returns the dates of all print orders together: the widest span, and the first day of dispatch. Null before planning. */
function promiseOf({ printOrders }: Pick<OperatorOrder, 'printOrders'>) {
  const planned = printOrders.flatMap(({ status, promise, dispatchDate }) =>
    promise === null || status === 'cancelled' || status === 'waiting' ? [] : [{ ...promise, dispatchDate }],
  );
  if (planned.length === 0) return null;
  const days = (key: keyof (typeof planned)[number]) => planned.map((promise) => promise[key]).sort();
  return {
    dispatchDate: days('dispatchDate')[0]!,
    minDeliveryDate: days('minDeliveryDate')[0]!,
    maxDeliveryDate: days('maxDeliveryDate').at(-1)!,
    initialMinDeliveryDate: days('initialMinDeliveryDate')[0]!,
    initialMaxDeliveryDate: days('initialMaxDeliveryDate').at(-1)!,
  };
}

export function runView({ seen: _1, clock: _2, pending: _3, waitingReroutes = [], ...state }: RunView) {
  return {
    ...state,
    printOrders: state.printOrders.map((each) => {
      const { parcels: _4, dispatchFailure: _5, jobs, ...printOrder } = each;
      const transit = printOrderTransit(each);
      return { ...printOrder, transit, jobs: jobs.map(({ leftWith: _6, ...job }) => job) };
    }),
    waitingReroutes: waitingReroutes.map(({ action, printOrder: { id, partnerId, partnerUid }, units, until }) => ({
      ...{ action, units },
      printOrder: { id, partnerId, partnerUid },
      until: new Date(until),
    })),
  };
}
