import { z } from 'zod';
import { DISMISSABLE } from '../../../src/orders/domain/lifecycle/rules/attention';
import { httpUrl, text } from '../../../src/platform/domain/fields';

/** Schemas of operators' repairs of an order. */

const codes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const itemId = z.string().regex(/^\d{1,18}$/, 'must be a string that holds an integer');
const itemIds = z.array(itemId).min(1).max(500).nullish();
const reason = text(500).describe('Recorded with the operator’s name in the event log.');

export const repairSchema = z
  .discriminatedUnion('action', [
    z.strictObject({
      action: z
        .enum(['hold', 'release'])
        .describe(
          '`hold`: Pressline sends no new print orders until `release`. Partners continue with the print orders that they have.',
        ),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('accept_files')
        .describe(
          'Accepts the print files of an order that waits for their replacement, as they are. The order goes on.',
        ),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('retry')
        .describe(
          'Sends print orders again that were refused, could not be delivered, or are in error. Plans a waiting order again.',
        ),
      itemIds: itemIds.describe('Default: every item that waits for an operator.'),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('cancel')
        .describe(
          'Cancels items and adds a refund receipt. Pressline first asks a partner that may still make them, and the items ' +
            'keep their status until it confirms. A second `cancel` cancels them without the partner’s consent.',
        ),
      itemIds: itemIds.describe('Default: every item that has not shipped.'),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('refund')
        .describe(
          'Ends the units that partners have cancelled, before or after shipping the others: they are refunded, their stock ' +
            'is released, and the rest of the items continues. `reroute` and `reproduce` make such units instead. With `units`: ' +
            'refunds units of an order that was delivered or returned, whether a partner has cancelled them or not.',
        ),
      itemIds: itemIds.describe('Default: every item that has such units.'),
      units: z
        .array(z.object({ itemId, quantity: z.int().min(1) }).meta({ id: 'RefundedUnits' }))
        .min(1)
        .max(500)
        .nullish()
        .describe('Instead of `itemIds`. 409 when fewer units of an item are left to refund.'),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('mark_shipped')
        .describe('Reports a print order as shipped, because its partner has not sent the postback `shipped`.'),
      printOrderId: itemId,
      trackingCode: text(100).nullish().describe('Only of a parcel without a label by Pressline.'),
      trackingLink: httpUrl.nullish(),
      reason,
    }),
    z.strictObject({
      action: z
        .literal('dismiss')
        .describe(
          `Clears the attention reasons of an order that has ended. For an open order it clears ${codes(DISMISSABLE)}. ` +
            'The other reasons of an open order follow from its state.',
        ),
      reason,
    }),
    z.strictObject({
      action: z
        .enum(['reroute', 'reproduce'])
        .describe(
          'Creates a new print order, linked to the first. `reroute`: another partner makes the item instead of the ' +
            'current one. `reproduce`: the new print order makes the units that wait for an operator; others are made in ' +
            'addition. Pressline first asks the current partner to stop units that it may still make, and waits at most ' +
            'STOP_DEADLINE. When the partner agrees, the new print order is sent. When it refuses, or does not respond about ' +
            'units in production, they stay with it and the order gets the attention reason `not_rerouted`.',
        ),
      itemId,
      quantity: z.int().min(1).nullish().describe('Default: all units that wait for an operator, else the whole item.'),
      partnerId: z.uuid().nullish().describe('Default: routing chooses.'),
      force: z
        .boolean()
        .nullish()
        .describe(
          'True sends the new print order at once, whatever the current partner does: both may make the units. It also ends ' +
            'the wait of an earlier request for the item. The event log records it. Required to move some units of a print ' +
            'job, because partners can only stop whole jobs.',
        ),
      reason,
    }),
  ])
  .meta({ id: 'Repair' });
export type RepairBody = z.output<typeof repairSchema>;
