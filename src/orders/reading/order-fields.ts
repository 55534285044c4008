import { columnOf } from '../domain/item-fields';
import type { FinancialStatus, OrderStatus } from '../domain/lifecycle/statuses';
import type { ShippingAddress, SubmitOrder } from '../planning/order-schemas';

/** The fields of an order. Each is a column of `orders` with the same name in snake case. */
export interface OrderFields {
  readonly id: string;
  readonly clientId: string;
  readonly orderReferenceId: string;
  readonly customerReferenceId: string | null;
  readonly orderType: SubmitOrder['orderType'];
  readonly channel: string;
  readonly fulfillmentStatus: OrderStatus;
  readonly financialStatus: FinancialStatus;
  readonly refusalReasonCode: string | null;
  readonly currency: string;
  readonly createdAt: Date;
  readonly orderedAt: Date | null;
  readonly updatedAt: Date;
  /** The order that this one makes again. */
  readonly reprintOf: string | null;
  readonly retailCurrency: string | null;
  /** Decimal text. */
  readonly retailShippingPrice: string | null;
  readonly shipmentMethodUid: string | null;
  readonly shippingAddress: ShippingAddress & { readonly id: string };
  readonly returnAddress: Record<string, unknown> | null;
  readonly packagingInstructions: NonNullable<SubmitOrder['packagingInstructions']>;
  readonly metadata: { key: string; value: string }[];
  readonly refusalReason: string | null;
  readonly refusalReasonDetails: Record<string, unknown> | null;
  readonly comment: string | null;
  /** The order that this one replaces. */
  readonly replacesId: string | null;
}

/** `submitted`: clients submit the field under this name, and it is stored unchanged. `listed`: lists show it too. */
const KINDS = {
  id: ['listed'],
  clientId: ['listed'],
  orderReferenceId: ['listed', 'submitted'],
  customerReferenceId: ['listed', 'submitted'],
  orderType: ['listed', 'submitted'],
  channel: ['listed'],
  fulfillmentStatus: ['listed'],
  financialStatus: ['listed'],
  refusalReasonCode: ['listed'],
  currency: ['listed', 'submitted'],
  createdAt: ['listed'],
  orderedAt: ['listed'],
  updatedAt: ['listed'],
  reprintOf: [],
  retailCurrency: ['submitted'],
  retailShippingPrice: [],
  shipmentMethodUid: ['submitted'],
  shippingAddress: [],
  returnAddress: [],
  packagingInstructions: ['submitted'],
  metadata: ['submitted'],
  refusalReason: [],
  refusalReasonDetails: [],
  comment: [],
  replacesId: [],
} as const satisfies Record<keyof OrderFields, readonly ('submitted' | 'listed')[]>;

type FieldOfKind<Kind extends 'submitted' | 'listed'> = {
  [Field in keyof OrderFields]: Kind extends (typeof KINDS)[Field][number] ? Field : never;
}[keyof OrderFields];

const FIELDS = Object.keys(KINDS) as (keyof OrderFields)[];
const ofKind = <Kind extends 'submitted' | 'listed'>(kind: Kind) =>
  FIELDS.filter((field): field is FieldOfKind<Kind> => (KINDS[field] as readonly string[]).includes(kind));
const SUBMITTED_FIELDS = ofKind('submitted');

const columnsOf = (fields: readonly (keyof OrderFields)[]) => fields.map((field) => `o.${columnOf(field)}`).join(', ');

/** The columns of the order `o` with all of its fields. */
export const ORDER_COLUMNS = columnsOf(FIELDS);

/** The fields of an order that lists show too, and their columns of the order `o`. */
export type ListedFields = Pick<OrderFields, FieldOfKind<'listed'>>;
export const LISTED_COLUMNS = columnsOf(ofKind('listed'));

/** What a client submits of an order, without what only the submission needs. */
export type SubmittedOrder = Omit<SubmitOrder, 'preventDuplicate'>;

/** Returns what a client submits of an order, without its items, as columns of `orders`. */
export function submittedColumns(order: SubmittedOrder, addressId: string, requestId: string) {
  const isDraft = order.orderType === 'draft';
  return {
    ...Object.fromEntries(SUBMITTED_FIELDS.map((field) => [columnOf(field), order[field] ?? null])),
    packaging_instructions: order.packagingInstructions ?? [],
    metadata: order.metadata ?? [],
    retail_shipping_price: order.retailShippingPriceInclVat ?? null,
    shipping_address: { id: addressId, ...order.shippingAddress },
    replaces_id: order.replaces ?? null,
    fulfillment_status: isDraft ? 'draft' : 'created',
    financial_status: isDraft ? 'draft' : 'pending',
    request_id: requestId,
  };
}

/** Returns the fields of a stored order as a draft of it would be submitted, without its items. */
export function submittedFields(order: OrderFields): Omit<SubmittedOrder, 'items'> {
  const { id: _addressId, ...shippingAddress } = order.shippingAddress;
  const given = Object.fromEntries(SUBMITTED_FIELDS.map((field) => [field, order[field] ?? undefined]));
  return {
    ...(given as Pick<SubmittedOrder, (typeof SUBMITTED_FIELDS)[number]>),
    orderType: 'draft',
    retailShippingPriceInclVat: order.retailShippingPrice === null ? undefined : Number(order.retailShippingPrice),
    shippingAddress,
    replaces: order.replacesId ?? undefined,
  };
}
