import { z } from 'zod';
import { httpUrl, text } from '../../../../platform/domain/fields';
import { SIZES } from '../../../../platform/domain/sizes';
import type { RepairRequest } from '../requests';
import { DISMISSABLE } from './attention';

type RepairAction = RepairRequest['action'];

/** What operators can do about an order. */
interface Repair {
  /** What one request is about. */
  readonly scope: 'order' | 'items' | 'units' | 'print_order' | 'promise';
  /** What it does. Repairs with the same text share one variant of the request. */
  readonly text: string;
  /** The fields of a request beside action and reason. */
  readonly fields: z.ZodRawShape;
}

const itemId = z.string().regex(/^\d{1,18}$/, 'must be a string that holds an integer');
const units = z.int().min(1).max(SIZES.itemUnits.most);
const itemIds = z.array(itemId).min(1).max(SIZES.orderItems.most).nullish();

const holds = {
  scope: 'order',
  text: '`hold`: Pressline sends no new print orders until `release`. Partners continue with the print orders that they have.',
  fields: {},
} as const satisfies Repair;

const reroutes = {
  scope: 'units',
  text:
    'Creates a new print order, linked to the first. `reroute`: another partner makes the item instead of the ' +
    'current one. `reproduce`: the new print order makes the units that wait for an operator; others are made in ' +
    'addition. Pressline first asks the current partner to stop units that it may still make, and waits at most ' +
    'STOP_DEADLINE. When the partner agrees, the new print order is sent. When it refuses, or does not respond about ' +
    'units in production, they stay with it and the order gets the attention reason `not_rerouted`.',
  fields: {
    itemId,
    quantity: units.nullish().describe('Default: all units that wait for an operator, else the whole item.'),
    partnerId: z.uuid().nullish().describe('Default: routing chooses.'),
    force: z
      .boolean()
      .nullish()
      .describe(
        'True sends the new print order at once, whatever the current partner does: both may make the units. It also ends ' +
          'the wait of an earlier request for the item. The event log records it. Required to move some units of a print ' +
          'job, because partners can only stop whole jobs.',
      ),
  },
} as const satisfies Repair;

/**
 * The repairs of an order, in the order in which operators see them. API, bulk repairs, command line and assistants' tools take
 * names and fields from here. `guards.ts` says when an order accepts each. The workflow bundle does not import this table: it
 * has no zod.
 */
export const REPAIRS = {
  accept_files: {
    scope: 'order',
    text: 'Accepts the print files of an order that waits for their replacement, as they are. The order goes on.',
    fields: {},
  },
  accept_address: {
    scope: 'order',
    text: 'Accepts the address of an order that waits for another one, as it is. The order goes on.',
    fields: {},
  },
  retry: {
    scope: 'items',
    text: 'Sends print orders again that were refused, could not be delivered, or are in error. Plans a waiting order again.',
    fields: { itemIds: itemIds.describe('Default: every item that waits for an operator.') },
  },
  reroute: reroutes,
  reproduce: reroutes,
  release: holds,
  hold: holds,
  cancel: {
    scope: 'items',
    text:
      'Cancels items and adds a refund receipt. Pressline first asks a partner that may still make them, and the items ' +
      'keep their status until it confirms. A second `cancel` cancels them without the partner’s consent.',
    fields: { itemIds: itemIds.describe('Default: every item that has not shipped.') },
  },
  refund: {
    scope: 'items',
    text:
      'Ends the units that partners have cancelled, before or after shipping the others: they are refunded, their stock ' +
      'is released, and the rest of the items continues. `reroute` and `reproduce` make such units instead. With `units`: ' +
      'refunds units of an order that was delivered or returned, whether a partner has cancelled them or not.',
    fields: {
      itemIds: itemIds.describe('Default: every item that has such units.'),
      units: z
        .array(z.object({ itemId, quantity: units }).meta({ id: 'RefundedUnits' }))
        .min(1)
        .max(SIZES.orderItems.most)
        .nullish()
        .describe('Instead of `itemIds`. 409 when fewer units of an item are left to refund.'),
    },
  },
  mark_shipped: {
    scope: 'print_order',
    text: 'Reports a print order as shipped, because its partner has not sent the postback `shipped`.',
    fields: {
      printOrderId: itemId,
      trackingCode: text(100).nullish().describe('Only of a parcel without a label by Pressline.'),
      trackingLink: httpUrl.nullish(),
    },
  },
  move_promise: {
    scope: 'promise',
    text:
      'Moves the days of dispatch and delivery of print orders that a day off of their partner has made impossible. ' +
      'Clients get `order_delivery_estimate_updated`.',
    fields: {},
  },
  dismiss: {
    scope: 'order',
    text:
      `Clears the attention reasons of an order that has ended. For an open order it clears ${DISMISSABLE.map((reason) => `\`${reason}\``).join(', ')}. ` +
      'The other reasons of an open order follow from its state.',
    fields: {},
  },
} as const satisfies Record<RepairAction, Repair>;

const REPAIR_ACTIONS = Object.keys(REPAIRS) as [RepairAction, ...RepairAction[]];

/** The repairs that can be requested for one order. A promise is moved for all orders that a day off is about. */
export type SingleRepair = Exclude<RepairAction, 'move_promise'>;
export const SINGLE_REPAIRS = REPAIR_ACTIONS.filter((action) => REPAIRS[action].scope !== 'promise') as [
  SingleRepair,
  ...SingleRepair[],
];

/** Returns the repairs with a scope. */
export const repairsAbout = (scope: Repair['scope']): RepairAction[] =>
  REPAIR_ACTIONS.filter((action) => REPAIRS[action].scope === scope);

/** The repairs that can be requested for many orders: all that need nothing of the single order. */
export type BulkAction = {
  [Action in RepairAction]: (typeof REPAIRS)[Action]['scope'] extends 'print_order' ? never : Action;
}[RepairAction];
export const BULK_ACTIONS = REPAIR_ACTIONS.filter((action) => REPAIRS[action].scope !== 'print_order') as [
  BulkAction,
  ...BulkAction[],
];

const reason = text(500).describe('Recorded with the operator’s name in the event log.');

type ShapeOf<Action extends RepairAction> = {
  action: z.ZodType<Action, Action>;
  reason: typeof reason;
} & (typeof REPAIRS)[Action]['fields'];
type Variant<Action extends RepairAction> =
  ShapeOf<Action> extends z.ZodRawShape ? z.ZodObject<ShapeOf<Action>, z.core.$strict> : never;

/** Returns the request of repairs that have the same fields. */
function variant<Action extends RepairAction>(...actions: [Action, ...Action[]]) {
  const { text: does, fields } = REPAIRS[actions[0]];
  const action = actions.length === 1 ? z.literal(actions[0]) : z.enum(actions);
  return z.strictObject({ action: action.describe(does), ...fields, reason }) as unknown as Variant<Action>;
}

/** A repair of one order, as operators request it. */
export const repairSchema = z
  .discriminatedUnion('action', [
    variant('hold', 'release'),
    variant('accept_files'),
    variant('accept_address'),
    variant('retry'),
    variant('cancel'),
    variant('refund'),
    variant('mark_shipped'),
    variant('dismiss'),
    variant('reroute', 'reproduce'),
  ])
  .meta({ id: 'Repair' });
export type RepairBody = z.output<typeof repairSchema>;
