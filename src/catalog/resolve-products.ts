import { cutText } from '../platform/domain/foreign-text';
import type { FieldErrorCode } from '../platform/errors';
import type { Sql } from '../platform/postgres';
import { catalogModels, catalogVersion } from './catalog-models';
import { ALL_CUSTOMERS, type CustomerProduct } from './customer-product-schemas';
import { buildProduct } from './domain/build-product';
import { type CatalogModel, chooseValues } from './domain/catalog-model';
import { choicesText, chooseVariant } from './domain/choose-variant';
import { type ResolvedProduct, unmakeable } from './domain/product';
import { MAX_UID_LENGTH, matchUid } from './domain/product-uid';
import { type CustomTrim, trimmedProduct } from './domain/trimmed-product';

/** The product of an order item: a productUid, or a name and a variant. */
export interface ProductReference {
  readonly productUid?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly productVariant?: Readonly<Record<string, string>> | null | undefined;
}

export type Resolution =
  | { readonly ok: true; readonly product: ResolvedProduct }
  | {
      readonly ok: false;
      /** The offending field of the item: `productUid`, `productName`, `productVariant` or `productVariant.<option>`. */
      readonly path: string;
      readonly code: FieldErrorCode;
      readonly message: string;
    };

const refuse = (path: string, code: FieldErrorCode, message: string): Resolution => ({
  ok: false,
  path,
  code,
  message,
});

/** The client that orders, and the customer that it orders for. */
export interface OrderingCustomer {
  readonly clientId: string;
  /** `customerReferenceId` of the order. */
  readonly customerReferenceId?: string | null | undefined;
}

interface NamedProduct
  extends Pick<CustomerProduct, 'id' | 'name' | 'state' | 'productModelId' | 'variantOptions' | 'partQuantities'> {
  /** True when the product is for the customer of the order. */
  readonly forCustomer: boolean;
  /** The version of the catalog. */
  readonly version: string;
}

/** Returns why a customer product cannot be ordered, or undefined when it can. */
function unorderable({ name, state, forCustomer }: NamedProduct): string | undefined {
  if (state === 'archived') return `product "${name}" is archived and cannot be ordered`;
  return forCustomer ? undefined : `product "${name}" is not for the customer of this order`;
}

/** Returns why a product model cannot be ordered on its own, or undefined when it can. */
function unavailable({ model }: CatalogModel): string | undefined {
  if (model.state !== 'active') return `product model ${model.id} is ${model.state} and cannot be ordered`;
  if (Object.keys(model.production.priceList).length === 0) {
    return `product model ${model.id} is not sold separately`;
  }
  return undefined;
}

/**
 * Returns for each name the customer product that an order of the client means: one of the client's own products, else an
 * operator's for the client, else an operator's for all clients. A client's own product hides operators' products of the
 * same name. Among equals, one that can be ordered precedes others, and a newer one precedes older ones.
 */
async function namedProducts(
  sql: Sql,
  { clientId, customerReferenceId }: OrderingCustomer,
  names: readonly string[],
): Promise<NamedProduct[]> {
  const customers = [ALL_CUSTOMERS, clientId, customerReferenceId ?? clientId];
  return await sql<NamedProduct[]>`
    SELECT DISTINCT ON (visible.name)
           product.id, product.name, product.state, product.product_model_id, product.variant_options,
           product.part_quantities, match.for_customer, (SELECT version FROM catalog_version) AS version
    FROM visible_customer_products visible
    JOIN customer_products product ON product.id = visible.customer_product_id
    CROSS JOIN LATERAL (
      SELECT product.owner_id IS NULL OR product.customer_ids && ${customers} AS for_customer
    ) AS match
    WHERE visible.viewer IN (${ALL_CUSTOMERS}, ${clientId}) AND visible.name = ANY(${names as string[]})
    ORDER BY visible.name,
             CASE WHEN product.owner_id IS NOT NULL THEN 0 WHEN visible.viewer = ${clientId} THEN 1 ELSE 2 END,
             product.state = 'published' AND match.for_customer DESC,
             product.id DESC`;
}

function resolveNamed(
  named: NamedProduct,
  model: CatalogModel,
  productVariant: Readonly<Record<string, string>>,
): Resolution {
  const closed = unorderable(named) ?? unavailable(model);
  if (closed !== undefined) return refuse('productName', 'NO_SUCH_CHOICE_ERROR', closed);
  const variant = chooseVariant(named.variantOptions, productVariant);
  if (!variant.ok) return refuse(`productVariant.${variant.option}`, variant.code, variant.message);
  const choice = chooseValues(model, variant.attributes);
  if (!choice.ok) return refuse('productVariant', choice.code, choice.message);
  const quantities = new Map((named.partQuantities ?? []).map((part) => [part.partModelId, part.quantity]));
  const built = buildProduct(model, choice.values, quantities);
  if (!built.ok) return refuse('productVariant', 'VALIDATION_ERROR', built.message);
  return makeable({ ...built.product, customerProductId: named.id }, 'productName', `product "${named.name}"`);
}

/** Refuses a product that no print order can make, at the field that names it. */
function makeable(product: ResolvedProduct, path: string, subject: string): Resolution {
  const fault = unmakeable({ kind: product.kind, isPrinted: product.printAreas.length > 0 }, product.parts);
  if (fault === undefined) return { ok: true, product };
  return refuse(path, 'VALIDATION_ERROR', `${subject} ${fault} and cannot be made`);
}

function resolveUid(uid: string, candidates: readonly CatalogModel[]): Resolution {
  let nearest = `there is no product "${cutText(uid, MAX_UID_LENGTH)}"`;
  for (const model of candidates) {
    const match = matchUid(model.template, uid, (attributeId) => model.attributes.get(attributeId));
    if (!match.ok) {
      const { attributeId, isMissing } = match;
      if (attributeId !== null) {
        const fault = isMissing ? 'ends before the value of' : 'has no known value for';
        const values = [...(model.attributes.get(attributeId)?.values.keys() ?? [])];
        nearest = `"${uid}" ${fault} attribute ${attributeId}${choicesText(values)}`;
      }
      continue;
    }
    const closed = unavailable(model);
    if (closed !== undefined) return refuse('productUid', 'NO_SUCH_CHOICE_ERROR', closed);
    const choice = chooseValues(model, match.values);
    if (!choice.ok) return refuse('productUid', choice.code, choice.message);
    const built = buildProduct(model, choice.values);
    if (!built.ok) return refuse('productUid', 'VALIDATION_ERROR', built.message);
    return makeable(built.product, 'productUid', `product model ${model.model.id}`);
  }
  return refuse('productUid', 'NO_SUCH_CHOICE_ERROR', nearest);
}

/** Returns the ids of the product models whose prefix one of the productUids starts with, longest prefix first. */
async function candidateIds(sql: Sql, uids: readonly string[]): Promise<{ version: string; ids: string[] }> {
  const prefixes = new Set<string>();
  for (const uid of uids) {
    for (let length = 1; length <= Math.min(uid.length, MAX_UID_LENGTH); length += 1) {
      prefixes.add(uid.slice(0, length));
    }
  }
  const [row] = await sql<{ version: string; ids: string[] }[]>`
    SELECT version,
           ARRAY(SELECT id FROM product_models WHERE uid_prefix = ANY(${[...prefixes]})
                 ORDER BY length(uid_prefix) DESC, id) AS ids
    FROM catalog_version`;
  return row!;
}

async function resolveUids(sql: Sql, uids: readonly string[]): Promise<ReadonlyMap<string, Resolution>> {
  if (uids.length === 0) return new Map();
  const { version, ids } = await candidateIds(sql, uids);
  const models = await catalogModels(sql, version, ids);
  const candidates = ids.flatMap((id) => models.get(id) ?? []);
  return new Map(
    uids.map((uid) => [
      uid,
      resolveUid(
        uid,
        candidates.filter(({ template }) => uid.startsWith(template.prefix)),
      ),
    ]),
  );
}

/**
 * Resolves the products of the items of an order. A productUid is matched against the templates of the product models.
 * A productName (exact) with its productVariant is resolved through the customer products that the client may order.
 * Runs one SQL statement for all names and one for all productUids. This process caches the product models.
 * @returns for each item the product, or the offending field with its code and message. Does not throw for an unknown
 * or invalid product.
 */
export async function resolveProducts(
  sql: Sql,
  customer: OrderingCustomer,
  items: readonly ProductReference[],
): Promise<Resolution[]> {
  const names = [...new Set(items.flatMap(({ productName }) => productName ?? []))];
  const uids = [
    ...new Set(items.flatMap(({ productUid, productName }) => (productName == null ? (productUid ?? []) : []))),
  ];
  const named = names.length === 0 ? [] : await namedProducts(sql, customer, names);
  const modelIds = [...new Set(named.map(({ productModelId }) => productModelId))];
  const models =
    named[0] === undefined ? new Map<string, CatalogModel>() : await catalogModels(sql, named[0].version, modelIds);
  const byName = new Map(named.map((product) => [product.name, product]));
  const byUid = await resolveUids(sql, uids);

  return items.map(({ productUid, productName, productVariant }) => {
    if (productName != null) {
      const product = byName.get(productName);
      if (product === undefined) {
        return refuse('productName', 'NO_SUCH_CHOICE_ERROR', `there is no product named "${productName}"`);
      }
      return resolveNamed(product, models.get(product.productModelId)!, productVariant ?? {});
    }
    if (productUid == null) return refuse('productUid', 'MISSING_FIELD_ERROR', 'productUid or productName is required');
    return byUid.get(productUid)!;
  });
}

/**
 * Gives products with a custom trim the price of the smallest size that contains it. Runs no statement when no item has
 * a trim.
 * @param trims one for each resolution; undefined without a trim
 * @returns the resolutions; a trim that no size contains is refused at `customTrim`
 */
export async function withTrimPrices(
  sql: Sql,
  resolutions: readonly Resolution[],
  trims: readonly (CustomTrim | null | undefined)[],
): Promise<Resolution[]> {
  const modelIds = resolutions.flatMap((resolution, index) =>
    resolution.ok && trims[index] != null ? [resolution.product.productModelId] : [],
  );
  if (modelIds.length === 0) return [...resolutions];
  const models = await catalogModels(sql, await catalogVersion(sql), [...new Set(modelIds)]);
  return resolutions.map((resolution, index): Resolution => {
    const trim = trims[index];
    if (!resolution.ok || trim == null) return resolution;
    const result = trimmedProduct(models.get(resolution.product.productModelId)!, resolution.product, trim);
    if (result.ok) return result;
    return refuse('customTrim', 'VALIDATION_ERROR', result.message);
  });
}
