import { z } from 'zod';
import { instant, text, timestamp } from '../../platform/domain/fields';
import { BULK_ACTIONS, REPAIRS, repairsAbout } from '../domain/lifecycle/rules/repairs';
import { ORDER_STATUSES } from '../domain/lifecycle/statuses';
import { attentionReason } from '../reading/operator-order-schemas';

export const MOST_ORDERS = 10_000;
/** Orders that a dry run looks at, so that it responds within seconds. */
export const CHECKED_ORDERS = 1_000;
export const LISTED_REASONS = 50;

const many = <T extends z.ZodType>(value: T) => z.array(value).min(1).max(100).nullish();

/** Returns names as a list: `a`, `b` and `c`. */
const named = (actions: readonly string[]) =>
  actions
    .map((action) => `\`${action}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');

const isOfPromises = ([name, value]: [string, unknown]) =>
  value == null || name === 'brokenPromises' || name === 'partnerIds';

export const bulkRepairBody = z
  .strictObject({
    action: z
      .enum(BULK_ACTIONS)
      .describe(
        `${named(repairsAbout('items'))}: every item that it is possible for. ${named(repairsAbout('units'))}: every item that waits for an operator, ` +
          'or every possible item when none waits; they end no wait for a partner.',
      ),
    reason: text(500).describe('Recorded with the operator’s name in the event log of each order.'),
    partnerId: z.uuid().nullish().describe('Of a `reroute` or `reproduce`. Default: routing chooses.'),
    orderIds: z.array(z.uuid()).min(1).max(MOST_ORDERS).nullish(),
    filter: z
      .strictObject({
        attention: z.array(attentionReason).min(1).max(50).nullish().describe('Default: any reason.'),
        clientIds: many(z.uuid()),
        partnerIds: many(z.uuid()),
        fulfillmentStatuses: many(z.enum(ORDER_STATUSES)),
        countries: many(z.string().regex(/^[A-Z]{2}$/)),
        createdFrom: instant,
        createdTo: instant,
        brokenPromises: z
          .literal(true)
          .nullish()
          .describe(
            'Instead of attention: orders that days off of their partners make late, the earliest dispatch first. Of more than ' +
              `${MOST_ORDERS.toLocaleString('en')} the first ones: repeat the request for the others. It combines with \`partnerIds\` only.`,
          ),
      })
      .nullish()
      .describe('Orders that need attention and match every given filter.'),
    dryRun: z.boolean().nullish().describe('True only counts what is possible, and changes nothing.'),
  })
  .refine(({ orderIds, filter }) => (orderIds == null) !== (filter == null), {
    path: ['orderIds'],
    message: 'either orderIds or filter is required',
  })
  .refine(({ filter }) => filter?.brokenPromises == null || Object.entries(filter).every(isOfPromises), {
    path: ['filter', 'brokenPromises'],
    message: 'combines with partnerIds only',
  })
  .refine(({ action, partnerId }) => partnerId == null || REPAIRS[action].scope === 'units', {
    path: ['partnerId'],
    message: 'only a reroute or a reproduce has a partner',
  })
  .meta({ id: 'BulkRepairRequest' });

export const reasons = z
  .array(z.object({ message: z.string(), count: z.int(), orderIds: z.array(z.string()) }))
  .describe('The most frequent first. `orderIds` has at most 100 orders.');

const counts = z.object({
  total: z.int(),
  done: z.int(),
  refused: z.int().describe('Orders that do not accept the repair.'),
  failed: z.int().describe('Orders whose workflow did not respond.'),
  canceled: z.int(),
  left: z.int(),
});

export type BulkRepairProgress = z.output<typeof counts>;

export const bulkRepair = z
  .object({
    id: z.string(),
    action: z.enum(BULK_ACTIONS),
    reason: z.string(),
    partnerId: z.string().nullable(),
    requestedBy: z.object({ id: z.string(), name: z.string() }),
    status: z.enum(['running', 'canceling', 'ended']),
    workflowId: z.string(),
    counts,
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
  })
  .meta({ id: 'BulkRepair' });

export const dryRunResponse = z.object({
  total: z.int().describe('Orders that the repair would take.'),
  checked: z.int().describe(`Orders that the counts are of: the first ${CHECKED_ORDERS} at most.`),
  possible: z.int(),
  refused: reasons,
});
