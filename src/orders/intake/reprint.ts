import { type FieldError, Refusal } from '../../platform/errors';
import { REPRINTABLE } from '../domain/lifecycle/rules/possible-repairs';
import type { SubmitOrder } from '../planning/order-schemas';
import type { OrderRecord } from '../reading/order-reader';
import { asSubmitted } from './drafts';
import type { Submission } from './submit';

export interface Reprint {
  /** Undefined: all items that were made. Without a quantity: all units of the item that were made. */
  readonly items?:
    | readonly {
        readonly itemReferenceId: string;
        readonly quantity?: number | null | undefined;
        /** Files that take the place of those of the same types. */
        readonly files?: SubmitOrder['items'][number]['files'] | undefined;
      }[]
    | undefined;
  /** Undefined: the address of the order. */
  readonly shippingAddress?: SubmitOrder['shippingAddress'] | undefined;
  readonly charge: boolean;
  /** True: units of a claim, which have shipped. Absent: the order was delivered or returned, or has failed. */
  readonly claimed?: true;
}

/**
 * Returns the submission that makes an order again, of the products as they were resolved then.
 * @throws Refusal `CONFLICT` for an order that was not delivered, returned or failed, `VALIDATION_ERROR` for unknown items
 */
export function reprintOf(
  order: OrderRecord,
  { items: wanted, shippingAddress, charge, claimed }: Reprint,
): Pick<Submission, 'order' | 'products' | 'reprint'> {
  if (claimed !== true && !REPRINTABLE.includes(order.fulfillmentStatus)) {
    throw new Refusal('CONFLICT', {
      message: 'Only an order that was delivered or returned, or has failed, can be reprinted.',
    });
  }
  const { items } = order;
  const errors = (wanted ?? []).flatMap(({ itemReferenceId, quantity, files }, index): FieldError[] => {
    const reference = `items[${index}]`;
    const item = items.find((each) => each.itemReferenceId === itemReferenceId);
    const refused = (field: string, message: string): FieldError[] => [
      { code: 'VALIDATION_ERROR', message, reference: `${reference}.${field}` },
    ];
    if (item === undefined) return refused('itemReferenceId', `The order has no item ${itemReferenceId}.`);
    if ((quantity ?? 0) > item.quantity) return refused('quantity', `The item has ${item.quantity} units.`);
    const unknown = files?.findIndex(({ type }) => !item.files.some((file) => file.type === type)) ?? -1;
    if (unknown !== -1) return refused(`files[${unknown}].type`, 'The item has no file of this type.');
    const isTwice = wanted!.findIndex((each) => each.itemReferenceId === itemReferenceId) < index;
    return isTwice ? refused('itemReferenceId', `The item ${itemReferenceId} is named twice.`) : [];
  });
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });

  const submitted = asSubmitted(order);
  const made = new Map(items.map((item) => [item.itemReferenceId, unitsMade(order, item)]));
  const isWanted = (reference: string) =>
    wanted?.some(({ itemReferenceId }) => itemReferenceId === reference) ?? made.get(reference)! > 0;
  const chosen = submitted.items.filter(({ itemReferenceId }) => isWanted(itemReferenceId));
  return {
    order: {
      ...submitted,
      orderType: 'order',
      preventDuplicate: false,
      // An order is replaced once.
      replaces: undefined,
      shippingAddress: shippingAddress ?? submitted.shippingAddress,
      items: chosen.map((item) => {
        const named = wanted?.find(({ itemReferenceId }) => itemReferenceId === item.itemReferenceId);
        const files = item.files?.map((file) => ({ ...file, ...named?.files?.find(({ type }) => type === file.type) }));
        // An operator can name an item that was cancelled.
        return withQuantity({ ...item, files }, named?.quantity ?? (made.get(item.itemReferenceId)! || item.quantity));
      }),
    },
    products: chosen.map(
      ({ itemReferenceId }) => items.find((item) => item.itemReferenceId === itemReferenceId)!.product!,
    ),
    reprint: { of: order.id, charged: charge },
  };
}

/** Returns the units of an item that partners have made: not those that were cancelled. All units, when the order has failed. */
function unitsMade({ printOrders }: OrderRecord, item: OrderRecord['items'][number]): number {
  if (item.fulfillmentStatus === 'cancelled') return 0;
  if (printOrders.length === 0) return item.quantity;
  const jobs = printOrders.flatMap((printOrder) => printOrder.jobs.filter(({ itemId }) => itemId === item.id));
  const live = jobs.filter(({ status }) => status !== 'cancelled' && status !== 'superseded');
  // Units that were made in addition do not count.
  return Math.min(
    item.quantity,
    live.reduce((sum, { quantity }) => sum + quantity, 0),
  );
}

/** Returns some units of an item. The retail price is that of the line, so that the units have their share of it. */
export function withQuantity(item: SubmitOrder['items'][number], quantity: number): SubmitOrder['items'][number] {
  const { retailPriceInclVat: price } = item;
  return {
    ...item,
    quantity,
    retailPriceInclVat: price == null ? undefined : Number(((price * quantity) / item.quantity).toFixed(4)),
  };
}
