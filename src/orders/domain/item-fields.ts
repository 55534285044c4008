import type { ResolvedProduct } from '../../catalog/domain/product';
import type { CustomTrim } from '../../catalog/domain/trimmed-product';
import type { Fragment, Queryable } from '../../platform/postgres';
import type { ItemStatus } from './lifecycle/statuses';

/** The fields of an order item. Each is a column of `order_items` with the same name in snake case. */
export interface ItemFields {
  /** Decimal string. */
  readonly id: string;
  readonly itemReferenceId: string;
  readonly productUid: string | null;
  readonly productName: string | null;
  readonly productVariant: Readonly<Record<string, string>> | null;
  readonly quantity: number;
  /** Decimal text. */
  readonly retailPrice: string | null;
  readonly customTrim: CustomTrim | null;
  readonly metadata: { key: string; value: string }[];
  readonly fulfillmentStatus: ItemStatus;
  /** The product as resolved when the order was taken. */
  readonly product: ResolvedProduct;
  /** Decimal string. Null until the order is priced. */
  readonly priceMinor: string | null;
  readonly pageCount: number | null;
  readonly dpi: number | null;
}

/**
 * `submitted`: clients submit the field under this name, and it is stored unchanged. `exact`: JSON has the number as text, so
 * that ids and amounts do not become floats. `internal`: any other.
 */
const KINDS = {
  id: 'exact',
  itemReferenceId: 'submitted',
  productUid: 'submitted',
  productName: 'submitted',
  productVariant: 'submitted',
  quantity: 'submitted',
  retailPrice: 'exact',
  customTrim: 'submitted',
  metadata: 'submitted',
  fulfillmentStatus: 'internal',
  product: 'internal',
  priceMinor: 'exact',
  pageCount: 'internal',
  dpi: 'internal',
} as const satisfies Record<keyof ItemFields, 'submitted' | 'exact' | 'internal'>;

type SubmittedField = {
  [Field in keyof ItemFields]: (typeof KINDS)[Field] extends 'submitted' ? Field : never;
}[keyof ItemFields];

export const ITEM_FIELDS = Object.keys(KINDS) as (keyof ItemFields)[];
export const SUBMITTED_FIELDS = ITEM_FIELDS.filter((field): field is SubmittedField => KINDS[field] === 'submitted');

/** Returns the name of a field's column. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns fields of the order item `i` as arguments of `jsonb_build_object`. */
export function itemMembers(sql: Queryable, fields: readonly (keyof ItemFields)[]): Fragment {
  return sql.unsafe(
    fields.map((field) => `'${field}', i.${columnOf(field)}${KINDS[field] === 'exact' ? '::text' : ''}`).join(', '),
  );
}
