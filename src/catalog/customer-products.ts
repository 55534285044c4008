import type { z } from 'zod';
import { Refusal } from '../platform/errors';
import { isUuid, uuidv7 } from '../platform/ids';
import { json, type Queryable, type Transaction } from '../platform/postgres';
import { loadCatalogModels } from './catalog-models';
import {
  ALL_CUSTOMERS,
  type CustomerProduct,
  type customerProductChange,
  type newCustomerProduct,
  type VariantOption,
  type variantValues,
} from './customer-product-schemas';
import { customerProductFaults, variantValueFaults } from './domain/customer-product-rules';

/** The account that reads or changes customer products: an operator, or a client by account id. */
export type Viewer = { readonly role: 'operator' } | { readonly role: 'client'; readonly id: string };

/** A customer product with its owner: a client, or null for the operators. */
export interface OwnedCustomerProduct extends CustomerProduct {
  readonly ownerId: string | null;
}

const COLUMNS = [
  'id',
  'owner_id',
  'name',
  'customer_ids',
  'product_model_id',
  'variant_options',
  'part_quantities',
  'state',
  'created_at',
  'updated_at',
];

/** Returns what a viewer may see of a customer product. Of an operator's product, a client sees only `*` and its own id. */
function shownTo(viewer: Viewer, { ownerId, ...product }: OwnedCustomerProduct): CustomerProduct {
  if (viewer.role === 'operator' || ownerId === viewer.id) return product;
  return {
    ...product,
    customerIds: product.customerIds.filter((id) => id === ALL_CUSTOMERS || id === viewer.id),
  };
}

export type NewCustomerProduct = Omit<z.output<typeof newCustomerProduct>, 'customerIds'> & {
  readonly customerIds: readonly string[];
};

/**
 * Creates a customer product. A client owns it; an operator's has no owner. Orders can use it immediately.
 * @param limit most customer products of one client (CUSTOMER_PRODUCT_LIMIT)
 * @throws Refusal `VALIDATION_ERROR` for an unknown or inactive product model, parts or attributes, with their paths;
 * `QUOTA_EXCEEDED` when the client has reached the limit
 */
export async function createCustomerProduct(
  tx: Transaction,
  viewer: Viewer,
  draft: NewCustomerProduct,
  limit: number,
): Promise<CustomerProduct> {
  await checkDraft(tx, viewer, draft);
  const options: VariantOption[] = draft.variantOptions.map((option) => ({
    ...option,
    state: 'published',
    values: [],
  }));
  const [row] = await tx<OwnedCustomerProduct[]>`
    INSERT INTO customer_products
      (id, owner_id, name, customer_ids, product_model_id, variant_options, part_quantities)
    VALUES (${uuidv7()}, ${viewer.role === 'client' ? viewer.id : null}, ${draft.name},
            ${draft.customerIds as string[]}, ${draft.productModelId}, ${json(tx, options)},
            ${draft.partQuantities === undefined ? null : json(tx, draft.partQuantities)})
    RETURNING ${tx(COLUMNS)}`;
  if (viewer.role === 'client') await checkQuota(tx, viewer.id, limit);
  return shownTo(viewer, row!);
}

/** @throws Refusal `QUOTA_EXCEEDED` when a client has more customer products than the limit */
async function checkQuota(tx: Transaction, clientId: string, limit: number): Promise<void> {
  // The lock makes concurrent creations of one client wait, so that each one counts those before it.
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`customer_products:${clientId}`}, 0))`;
  const [count] = await tx<{ products: number }[]>`
    SELECT count(*)::int AS products FROM (
      SELECT FROM customer_products WHERE owner_id = ${clientId} LIMIT ${limit + 1}
    ) AS counted`;
  if (count!.products <= limit) return;
  throw new Refusal('QUOTA_EXCEEDED', { message: `An account can have at most ${limit} customer products.` });
}

async function checkDraft(tx: Transaction, viewer: Viewer, draft: NewCustomerProduct): Promise<void> {
  const model = (await loadCatalogModels(tx, [draft.productModelId])).get(draft.productModelId);
  // Drafts are visible to operators only.
  const visible = viewer.role === 'operator' || model?.model.state !== 'draft';
  if (model === undefined || !visible || model.model.state === 'inactive') {
    const exists = model !== undefined && visible;
    const message = exists
      ? `Product model "${draft.productModelId}" is inactive.`
      : `There is no product model "${draft.productModelId}".`;
    throw new Refusal('VALIDATION_ERROR', {
      errors: [{ code: 'NO_SUCH_CHOICE_ERROR', message, reference: 'productModelId' }],
    });
  }
  const errors = customerProductFaults(draft, model);
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
}

/**
 * Locks a customer product for a change by the viewer and returns it.
 * @throws Refusal `NOT_FOUND` for a product that the viewer cannot see, `FORBIDDEN` for one that it does not own
 */
async function ownProduct(tx: Transaction, viewer: Viewer, id: string): Promise<OwnedCustomerProduct> {
  const [row] = isUuid(id)
    ? await tx<OwnedCustomerProduct[]>`SELECT ${tx(COLUMNS)} FROM customer_products WHERE id = ${id} FOR UPDATE`
    : [];
  const missing = new Refusal('NOT_FOUND', { message: 'The customer product does not exist.' });
  if (row === undefined) throw missing;
  if (viewer.role === 'operator' || row.ownerId === viewer.id) return row;
  const visible =
    row.ownerId === null && (row.customerIds.includes(ALL_CUSTOMERS) || row.customerIds.includes(viewer.id));
  if (!visible) throw missing;
  throw new Refusal('FORBIDDEN', {
    message: 'An operator owns this customer product. You can order it, but not change it.',
  });
}

/** Changes the given fields. Call it in a transaction. @throws Refusal `NOT_FOUND`, `FORBIDDEN` */
export async function updateCustomerProduct(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  change: z.output<typeof customerProductChange>,
): Promise<{ readonly before: CustomerProduct; readonly after: CustomerProduct }> {
  const before = await ownProduct(tx, viewer, id);
  const [row] = await tx<OwnedCustomerProduct[]>`
    UPDATE customer_products
    SET name = ${change.name ?? before.name},
        customer_ids = ${(change.customerIds ?? before.customerIds) as string[]},
        state = ${change.state ?? before.state},
        updated_at = now()
    WHERE id = ${id}
    RETURNING ${tx(COLUMNS)}`;
  return { before: shownTo(viewer, before), after: shownTo(viewer, row!) };
}

/**
 * Deletes a customer product and returns it. Call it in a transaction.
 * @param isOrdered returns true when an order has the product
 * @throws Refusal `NOT_FOUND`, `FORBIDDEN`; `CONFLICT` for a product that was ordered
 */
export async function deleteCustomerProduct(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  isOrdered: (tx: Transaction, product: OwnedCustomerProduct) => Promise<boolean>,
): Promise<CustomerProduct> {
  const product = await ownProduct(tx, viewer, id);
  if (await isOrdered(tx, product)) {
    throw new Refusal('CONFLICT', {
      message: 'This customer product was ordered and cannot be deleted. Archive it instead.',
    });
  }
  await tx`DELETE FROM customer_products WHERE id = ${id}`;
  return shownTo(viewer, product);
}

/**
 * Adds values to the variant options of a customer product: all of them or none.
 * @throws Refusal `VALIDATION_ERROR` with paths such as `[0].values[1].attributeValues[0].partModelId`; `CONFLICT`
 * for values, or a second default value, that clash with existing ones; `NOT_FOUND`, `FORBIDDEN`
 */
export async function addVariantValues(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  added: z.output<typeof variantValues>,
): Promise<void> {
  const product = await ownProduct(tx, viewer, id);
  const model = (await loadCatalogModels(tx, [product.productModelId])).get(product.productModelId)!;
  const { faults, conflicts } = variantValueFaults(added, product.variantOptions, model);
  if (faults.length > 0) throw new Refusal('VALIDATION_ERROR', { errors: [...faults, ...conflicts] });
  if (conflicts.length > 0) throw new Refusal('CONFLICT', { errors: conflicts });
  const options = product.variantOptions.map((option) => ({
    ...option,
    values: [
      ...option.values,
      ...added.filter(({ variantOptionId }) => variantOptionId === option.id).flatMap(({ values }) => values),
    ],
  }));
  await tx`
    UPDATE customer_products SET variant_options = ${json(tx, options)}, updated_at = now() WHERE id = ${id}`;
}

/** Returns a customer product that the viewer can see, or undefined. */
export async function customerProduct(
  sql: Queryable,
  viewer: Viewer,
  id: string,
): Promise<CustomerProduct | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql<OwnedCustomerProduct[]>`
    SELECT ${sql(COLUMNS)} FROM customer_products AS product
    WHERE id = ${id} ${
      viewer.role === 'operator'
        ? sql``
        : sql`AND EXISTS (SELECT 1 FROM visible_customer_products
                          WHERE customer_product_id = product.id AND viewer = ANY(${listsOf(viewer.id)}))`
    }`;
  return row === undefined ? undefined : shownTo(viewer, row);
}

/** Returns the viewers in visible_customer_products whose rows a client sees: all customers and the client itself. */
export function listsOf(clientId: string): string[] {
  return [ALL_CUSTOMERS, clientId];
}

/** Returns customer products by id, in the given order. */
export async function customerProductsByIds(
  sql: Queryable,
  viewer: Viewer,
  ids: readonly string[],
): Promise<CustomerProduct[]> {
  const rows = await sql<OwnedCustomerProduct[]>`
    SELECT ${sql(COLUMNS)} FROM customer_products WHERE id = ANY(${ids as string[]})`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [shownTo(viewer, row)];
  });
}
