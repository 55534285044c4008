import type { z } from 'zod';
import { MOST_OF_QUOTA } from '../platform/domain/quotas';
import { quotaExceeded, Refusal } from '../platform/errors';
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
 * @param most customer products of one client
 * @throws Refusal `VALIDATION_ERROR` for an unknown or inactive product model, parts or attributes, with their paths
 * @throws Refusal `QUOTA_EXCEEDED` when the client has as many
 */
export async function createCustomerProduct(
  tx: Transaction,
  viewer: Viewer,
  draft: NewCustomerProduct,
  most: number,
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
  await refuseTakenName(tx, row!);
  if (viewer.role === 'client') await checkQuota(tx, viewer.id, most);
  return shownTo(viewer, row!);
}

/**
 * Refuses a published product when its owner has another one of the same name for one of its customers: an order by the
 * name would find only one of them.
 * @throws Refusal `CONFLICT` at `name`
 */
async function refuseTakenName(tx: Transaction, product: OwnedCustomerProduct): Promise<void> {
  const { id, ownerId, name, customerIds } = product;
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`customer_products:${ownerId ?? ''}:${name}`}, 0))`;
  const everyone = ownerId === null ? [ALL_CUSTOMERS] : [ALL_CUSTOMERS, ownerId];
  const [other] = await tx<{ id: string }[]>`
    SELECT product.id FROM visible_customer_products mine
    JOIN visible_customer_products other
      ON other.viewer = mine.viewer AND other.name = mine.name AND other.state = 'published' AND mine.state = 'published'
    JOIN customer_products product ON product.id = other.customer_product_id
    WHERE mine.customer_product_id = ${id} AND product.id <> ${id} AND product.owner_id IS NOT DISTINCT FROM ${ownerId}
      -- A viewer that is a client of the operators has one of their products by a name, whoever its customers are.
      AND (product.owner_id IS NULL OR product.customer_ids && ${customerIds} OR product.customer_ids && ${everyone}
           OR ${customerIds}::text[] && ${everyone}::text[])
    LIMIT 1`;
  if (other === undefined) return;
  const message = `Customer product ${other.id} has this name already. Archive it, or choose another name.`;
  throw new Refusal('CONFLICT', { message, errors: [{ code: 'VALIDATION_ERROR', message, reference: 'name' }] });
}

async function checkQuota(tx: Transaction, clientId: string, most: number): Promise<void> {
  // The lock makes concurrent creations of one client wait, so that each one counts those before it.
  await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`customer_products:${clientId}`}, 0))`;
  const [count] = await tx<{ products: number }[]>`
    SELECT count(*)::int AS products FROM (
      SELECT FROM customer_products WHERE owner_id = ${clientId} LIMIT ${Math.min(most, MOST_OF_QUOTA) + 1}
    ) AS counted`;
  if (count!.products > most) throw quotaExceeded('customerProducts', most);
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

/**
 * Returns the options after a change. An option with the id of an earlier one keeps its values.
 * @throws Refusal `VALIDATION_ERROR` for options, kept values and part quantities that the product model does not have
 */
async function changedOptions(
  tx: Transaction,
  before: OwnedCustomerProduct,
  { variantOptions, partQuantities }: z.output<typeof customerProductChange>,
): Promise<VariantOption[]> {
  if (variantOptions === undefined && partQuantities === undefined) return before.variantOptions;
  const model = (await loadCatalogModels(tx, [before.productModelId])).get(before.productModelId)!;
  const options = (variantOptions ?? before.variantOptions).map((option): VariantOption => {
    const earlier = before.variantOptions.find(({ id }) => id === option.id);
    return { ...option, state: earlier?.state ?? 'published', values: earlier?.values ?? [] };
  });
  const given = { variantOptions: variantOptions === undefined ? [] : options, partQuantities };
  const errors = customerProductFaults(given, model);
  // Values that were kept must fit what their options map now.
  const kept = options.map(({ id, values }) => ({ variantOptionId: id, values }));
  const empty = options.map((option) => ({ ...option, values: [] }));
  for (const error of variantOptions === undefined ? [] : variantValueFaults(kept, empty, model).faults) {
    errors.push({ ...error, reference: `variantOptions${error.reference}` });
  }
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
  return options;
}

/**
 * Changes the given fields. Orders keep the product that they resolved. Call it in a transaction.
 * @throws Refusal `NOT_FOUND`, `FORBIDDEN`; `VALIDATION_ERROR` for options and part quantities; `CONFLICT` for a name
 * that is taken
 */
export async function updateCustomerProduct(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  change: z.output<typeof customerProductChange>,
): Promise<{ readonly before: CustomerProduct; readonly after: CustomerProduct }> {
  const before = await ownProduct(tx, viewer, id);
  const options = await changedOptions(tx, before, change);
  const quantities = change.partQuantities ?? before.partQuantities;
  const [row] = await tx<OwnedCustomerProduct[]>`
    UPDATE customer_products
    SET name = ${change.name ?? before.name},
        customer_ids = ${(change.customerIds ?? before.customerIds) as string[]},
        state = ${change.state ?? before.state},
        variant_options = ${json(tx, options)},
        part_quantities = ${quantities === null ? null : json(tx, quantities)},
        updated_at = now()
    WHERE id = ${id}
    RETURNING ${tx(COLUMNS)}`;
  // Only these fields decide whether the name is taken.
  if ((change.name ?? change.customerIds ?? change.state) !== undefined) await refuseTakenName(tx, row!);
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

/** Stores the variant options of a customer product. */
async function storeOptions(tx: Transaction, id: string, options: readonly VariantOption[]): Promise<void> {
  await tx`
    UPDATE customer_products SET variant_options = ${json(tx, options)}, updated_at = now() WHERE id = ${id}`;
}

/**
 * Adds values to the variant options of a customer product: all of them or none.
 * @param replace true to replace values that exist, in their place, instead of refusing them
 * @returns the values of the options before and after
 * @throws Refusal `VALIDATION_ERROR` with paths such as `[0].values[1].attributeValues[0].partModelId`; `CONFLICT`
 * for values, or a second default value, that clash with existing ones; `NOT_FOUND`, `FORBIDDEN`
 */
export async function addVariantValues(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  given: z.output<typeof variantValues>,
  { replace = false } = {},
): Promise<{ readonly before: VariantOption[]; readonly after: VariantOption[] }> {
  const product = await ownProduct(tx, viewer, id);
  const model = (await loadCatalogModels(tx, [product.productModelId])).get(product.productModelId)!;
  const valuesOf = (optionId: string) =>
    given.filter(({ variantOptionId }) => variantOptionId === optionId).flatMap(({ values }) => values);
  const others = product.variantOptions.map((option) => {
    const replaced = new Set(replace ? valuesOf(option.id).map(({ value }) => value) : []);
    return { ...option, values: option.values.filter(({ value }) => !replaced.has(value)) };
  });
  const { faults, conflicts } = variantValueFaults(given, others, model);
  if (faults.length > 0) throw new Refusal('VALIDATION_ERROR', { errors: [...faults, ...conflicts] });
  if (conflicts.length > 0) throw new Refusal('CONFLICT', { errors: conflicts });
  const after = product.variantOptions.map((option) => {
    const byValue = new Map([...option.values, ...valuesOf(option.id)].map((value) => [value.value, value]));
    return { ...option, values: [...byValue.values()] };
  });
  await storeOptions(tx, id, after);
  return { before: product.variantOptions, after };
}

/**
 * Removes a value of a variant option and returns it. Orders keep the product that they resolved.
 * @throws Refusal `NOT_FOUND`, also for a value that the option does not have; `FORBIDDEN`
 */
export async function removeVariantValue(
  tx: Transaction,
  viewer: Viewer,
  id: string,
  { variantOptionId, value }: { readonly variantOptionId: string; readonly value: string },
): Promise<VariantOption['values'][number]> {
  const { variantOptions } = await ownProduct(tx, viewer, id);
  const option = variantOptions.find((candidate) => candidate.id === variantOptionId);
  const removed = option?.values.find((candidate) => candidate.value === value);
  if (option === undefined || removed === undefined) {
    throw new Refusal('NOT_FOUND', { message: `Option "${variantOptionId}" has no value "${value}".` });
  }
  const left = { ...option, values: option.values.filter((candidate) => candidate !== removed) };
  await storeOptions(
    tx,
    id,
    variantOptions.map((candidate) => (candidate === option ? left : candidate)),
  );
  return removed;
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
