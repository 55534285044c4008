import { isStockProduct, type ResolvedProduct, withAreaPrices } from '../../src/catalog/domain/product';
import type { CustomTrim } from '../../src/catalog/domain/trimmed-product';
import {
  type OrderingCustomer,
  type ProductReference,
  resolveProducts,
  withTrimPrices,
} from '../../src/catalog/resolve-products';
import { itemFileProblems } from '../../src/orders/domain/item-files';
import { type PackagingInstruction, parcelCount } from '../../src/orders/domain/packing';
import type { SubmitOrder } from '../../src/orders/planning/order-schemas';
import { SIZES, shownSize } from '../../src/platform/domain/sizes';
import { type FieldError, MAX_ERRORS, Refusal } from '../../src/platform/errors';
import type { Sql } from '../../src/platform/postgres';

/**
 * Returns the products of an order's items. Checks that each product exists, that the client may order it, and that
 * it accepts the types of the files.
 * @throws Refusal `VALIDATION_ERROR` with every offending field, `TOO_MANY_PARCELS`
 */
export async function productsOfOrder(
  sql: Sql,
  customer: OrderingCustomer,
  order: Pick<SubmitOrder, 'items' | 'packagingInstructions'>,
): Promise<ResolvedProduct[]> {
  const products = await resolvedProducts(sql, customer, order.items, fileErrors);
  refuseManyParcels(order, products);
  return products;
}

interface Parcels {
  readonly items: readonly { readonly itemReferenceId: string; readonly quantity: number }[];
  readonly packagingInstructions?: readonly PackagingInstruction[] | undefined;
}

/** @param products one for each item @throws Refusal `TOO_MANY_PARCELS` */
export function refuseManyParcels(
  { items, packagingInstructions = [] }: Parcels,
  products: readonly ResolvedProduct[],
): void {
  const { most } = SIZES.orderParcels;
  const packed = items.map(({ itemReferenceId, quantity }, index) => ({
    itemReferenceId,
    quantity,
    product: products[index]!,
  }));
  const parcels = parcelCount(packed, packagingInstructions);
  if (parcels <= most) return;
  throw new Refusal('TOO_MANY_PARCELS', {
    message: `The order makes ${shownSize(parcels)} parcels, and at most ${shownSize(most)} are allowed. Split it into several orders.`,
  });
}

/**
 * Returns the products that items name.
 * @param check returns further errors of an item, given its product
 * @throws Refusal `VALIDATION_ERROR` with every offending field
 */
export async function resolvedProducts<
  Item extends ProductReference & {
    readonly customTrim?: CustomTrim | undefined;
    readonly files?: readonly { readonly type: string }[] | undefined;
  },
>(
  sql: Sql,
  customer: OrderingCustomer,
  items: readonly Item[],
  check: (item: Item, product: ResolvedProduct, index: number) => FieldError[] = () => [],
): Promise<ResolvedProduct[]> {
  const resolutions = await withTrimPrices(
    sql,
    await resolveProducts(sql, customer, items),
    items.map(({ customTrim }) => customTrim),
  );
  const errors: FieldError[] = [];
  const products: ResolvedProduct[] = [];
  for (const [index, item] of items.entries()) {
    if (errors.length >= MAX_ERRORS) break;
    const resolution = resolutions[index]!;
    if (!resolution.ok) {
      const { path, code, message } = resolution;
      errors.push({ code, message: sentence(message), reference: `items[${index}].${path}` });
      continue;
    }
    products.push(withAreaPrices(resolution.product, item.files?.map(({ type }) => type) ?? []));
    errors.push(...check(item, resolution.product, index));
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return products;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Returns the errors of an item's files: none may be missing. */
export function fileErrors(
  item: { readonly files?: readonly { readonly type: string }[] | undefined },
  product: ResolvedProduct,
  index: number,
): FieldError[] {
  const reference = `items[${index}].files`;
  const files = item.files ?? [];
  if (files.length === 0 && !isStockProduct(product)) {
    return item.files === undefined
      ? [{ code: 'MISSING_FIELD_ERROR', message: 'This field is required.', reference }]
      : [{ code: 'VALIDATION_ERROR', message: 'At least one file is required.', reference }];
  }
  const missing = itemFileProblems(files, product).filter(({ fileIndex }) => fileIndex === null);
  return [
    ...missing.map(({ message }): FieldError => ({ code: 'MISSING_FIELD_ERROR', message, reference })),
    ...fileTypeErrors(item, product, index),
  ];
}

/** Returns an error at each file whose type the product does not take. Files may be missing, as in quotes. */
export function fileTypeErrors(
  { files = [] }: { readonly files?: readonly { readonly type: string }[] | undefined },
  product: ResolvedProduct,
  index: number,
): FieldError[] {
  return itemFileProblems(files, product).flatMap(({ fileIndex, message }) =>
    fileIndex === null
      ? []
      : [{ code: 'NO_SUCH_CHOICE_ERROR', message, reference: `items[${index}].files[${fileIndex}].type` }],
  );
}
