import type { z } from 'zod';
import type { shownReturnAddress } from '../../accounts/clients';
import { columnsOf } from '../../platform/postgres';
import type { StoredFindings } from '../domain/address-findings';
import { columnOf } from '../domain/item-fields';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import type { FileDelay } from './file-delays';
import { type ShippingAddress, type SubmitOrder, submitOrderSchema } from './order-schemas';

/** What a client submits of an order, without what only the submission needs. */
export type SubmittedOrder = Omit<SubmitOrder, 'preventDuplicate'>;

/** Fields of a submitted order that are stored in another form, or not in `orders`. */
const CONVERTED = [
  'items',
  'metadata',
  'packagingInstructions',
  'preventDuplicate',
  'replaces',
  'retailShippingPriceInclVat',
  'shippingAddress',
] as const satisfies readonly (keyof SubmitOrder)[];

/** All other fields are stored as they are submitted, and null when they are absent. */
type Unconverted = Omit<SubmitOrder, (typeof CONVERTED)[number]>;
type AsSubmitted = {
  readonly [Field in keyof Unconverted]-?: undefined extends Unconverted[Field]
    ? NonNullable<Unconverted[Field]> | null
    : Unconverted[Field];
};
const AS_SUBMITTED = Object.keys(submitOrderSchema.shape).filter(
  (field) => !(CONVERTED as readonly string[]).includes(field),
) as (keyof AsSubmitted)[];

/** What is stored of an order as its client submits it, without its items. */
export interface StoredFields extends AsSubmitted {
  /** Decimal text. */
  readonly retailShippingPrice: string | null;
  readonly shippingAddress: ShippingAddress & { readonly id: string };
  readonly packagingInstructions: NonNullable<SubmitOrder['packagingInstructions']>;
  readonly metadata: { key: string; value: string }[];
  /** The order that this one replaces. */
  readonly replacesId: string | null;
}

/** The fields of an order. Each is a column of `orders` with the same name in snake case. */
export interface OrderFields extends StoredFields {
  readonly id: string;
  readonly clientId: string;
  readonly channel: string;
  readonly fulfillmentStatus: OrderStatus;
  readonly financialStatus: FinancialStatus;
  readonly refusalReasonCode: string | null;
  readonly createdAt: Date;
  readonly orderedAt: Date | null;
  readonly updatedAt: Date;
  /** The order that this one makes again. */
  readonly reprintOf: string | null;
  /** The id of the address whose findings an operator has accepted. */
  readonly acceptedAddressId: string | null;
  readonly addressFindings: StoredFindings | null;
  readonly returnAddress: z.output<typeof shownReturnAddress> | null;
  readonly refusalReason: string | null;
  readonly refusalReasonDetails: Record<string, unknown> | null;
  readonly fileDelay: FileDelay | null;
  readonly comment: string | null;
}

const STORED: readonly (keyof StoredFields)[] = [
  ...AS_SUBMITTED,
  'retailShippingPrice',
  'shippingAddress',
  'packagingInstructions',
  'metadata',
  'replacesId',
];

const LISTED = [
  'id',
  'clientId',
  'orderReferenceId',
  'customerReferenceId',
  'orderType',
  'channel',
  'fulfillmentStatus',
  'financialStatus',
  'refusalReasonCode',
  'currency',
  'createdAt',
  'orderedAt',
  'updatedAt',
] as const satisfies readonly (keyof OrderFields)[];

const FIELDS: readonly (keyof OrderFields)[] = [
  ...STORED,
  ...LISTED,
  'reprintOf',
  'acceptedAddressId',
  'addressFindings',
  'returnAddress',
  'refusalReason',
  'refusalReasonDetails',
  'fileDelay',
  'comment',
];

const selected = (fields: readonly (keyof OrderFields)[]) =>
  [...new Set(fields)].map((field) => `o.${columnOf(field)}`).join(', ');

/** The columns of the order `o` with what its client submitted. */
export const STORED_COLUMNS = selected(STORED);

/** The columns of the order `o` with all of its fields. */
export const ORDER_COLUMNS = selected(FIELDS);

/** The fields of an order that lists show too, and their columns of the order `o`. */
export type ListedFields = Pick<OrderFields, (typeof LISTED)[number]>;
export const LISTED_COLUMNS = selected(LISTED);

type Required = 'orderReferenceId' | 'orderType' | 'currency' | 'shippingAddress';

/** Returns what is stored of a submitted order. */
export function storedFields(
  order: Pick<SubmittedOrder, Required> & Partial<Omit<SubmittedOrder, 'items'>>,
  addressId: string,
): StoredFields {
  const asSubmitted = Object.fromEntries(AS_SUBMITTED.map((field) => [field, order[field] ?? null]));
  return {
    ...(asSubmitted as AsSubmitted),
    retailShippingPrice: order.retailShippingPriceInclVat?.toString() ?? null,
    shippingAddress: { id: addressId, ...order.shippingAddress },
    packagingInstructions: order.packagingInstructions ?? [],
    metadata: order.metadata ?? [],
    replacesId: order.replaces ?? null,
  };
}

/** Returns what a client submits of an order, without its items, as columns of `orders`. */
export function submittedColumns(order: SubmittedOrder, addressId: string, requestId: string) {
  const isDraft = order.orderType === 'draft';
  return {
    ...columnsOf(storedFields(order, addressId)),
    fulfillment_status: isDraft ? 'draft' : 'created',
    financial_status: isDraft ? 'draft' : 'pending',
    request_id: requestId,
  };
}

/** Returns the fields of a stored order as a draft of it would be submitted, without its items. */
export function submittedFields(order: OrderFields): Omit<SubmittedOrder, 'items'> {
  const { id: _addressId, ...shippingAddress } = order.shippingAddress;
  const asSubmitted = Object.fromEntries(AS_SUBMITTED.map((field) => [field, order[field] ?? undefined]));
  return {
    ...(asSubmitted as Pick<SubmittedOrder, keyof AsSubmitted>),
    orderType: 'draft',
    retailShippingPriceInclVat: order.retailShippingPrice === null ? undefined : Number(order.retailShippingPrice),
    shippingAddress,
    packagingInstructions: order.packagingInstructions,
    metadata: order.metadata,
    replaces: order.replacesId ?? undefined,
  };
}
