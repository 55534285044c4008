import { LRUCache } from 'lru-cache';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import type { Attribute, AttributeValue } from './attributes';
import type { CatalogModel, OfferedAttribute } from './domain/catalog-model';
import { nextStart, pricesInForce, productionSpec } from './domain/product-model';
import { parseTemplate } from './domain/product-uid';
import type { ModelAttribute } from './product-model-schemas';

type ModelRow = Omit<CatalogModel['model'], 'production'> & { readonly production: object };

interface AttributeRow extends Attribute {
  readonly values: readonly AttributeValue[] | null;
}

const offer = (row: AttributeRow, { valueIds, defaultValueId }: ModelAttribute): OfferedAttribute => {
  const offered = (row.values ?? []).filter(({ id }) => valueIds === null || valueIds.includes(id));
  return {
    attribute: { id: row.id, description: row.description, properties: row.properties },
    values: new Map(offered.filter(({ isCustom }) => !isCustom).map((value) => [value.id, value])),
    custom: offered.find(({ isCustom }) => isCustom) ?? null,
    defaultValueId,
  };
};

/**
 * Reads product models by id, with the prices that are in force, the values of their attributes and the product models
 * of their parts. Skips unknown ids.
 * @param now when the prices are in force, in milliseconds since 1970
 */
export async function loadCatalogModels(
  sql: Queryable,
  ids: readonly string[],
  now = Date.now(),
): Promise<Map<string, CatalogModel>> {
  const rows = await sql<ModelRow[]>`
    WITH wanted AS (SELECT * FROM product_models WHERE id = ANY(${ids as string[]})),
    needed AS (
      SELECT id FROM wanted
      UNION
      SELECT part ->> 'modelId' FROM wanted CROSS JOIN jsonb_array_elements(parts) AS part
    )
    SELECT id, name, description, preview_url AS "previewURL", category_id, product_uid_template, state, attributes, parts, production
    FROM product_models JOIN needed USING (id)`;
  const attributeIds = [...new Set(rows.flatMap(({ attributes }) => attributes.map(({ id }) => id)))];
  const attributes = await sql<AttributeRow[]>`
    SELECT attributes.id, attributes.description, attributes.properties, offered.values
    FROM attributes
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('id', id, 'description', description, 'properties', properties,
                                          'isCustom', is_custom, 'isDefault', is_default) ORDER BY position) AS values
      FROM attribute_values WHERE attribute_id = attributes.id
    ) AS offered
    WHERE attributes.id = ANY(${attributeIds})`;
  const attributeById = new Map(attributes.map((row) => [row.id, row]));

  const rowById = new Map(rows.map((row) => [row.id, row]));
  const compile = (row: ModelRow): CatalogModel => {
    const parsed = parseTemplate(row.productUidTemplate);
    if (!parsed.ok) throw new Error(`product model ${row.id} has an invalid template: ${parsed.message}`);
    const production = productionSpec.parse(row.production);
    // A part that has parts itself, which the rules refuse, is left out.
    const parts = new Map(
      row.parts.flatMap(({ modelId }) => {
        const part = rowById.get(modelId);
        return part?.parts.length === 0 ? [[modelId, compile(part)] as const] : [];
      }),
    );
    return {
      model: { ...row, production: { ...production, priceList: pricesInForce(production.priceList, now) } },
      template: parsed.template,
      attributes: new Map(row.attributes.map((entry) => [entry.id, offer(attributeById.get(entry.id)!, entry)])),
      parts,
      pricesUntil: Math.min(
        nextStart(production.priceList, now),
        ...[...parts.values()].map(({ pricesUntil }) => pricesUntil),
      ),
    };
  };
  return new Map(ids.flatMap((id) => (rowById.has(id) ? [[id, compile(rowById.get(id)!)]] : [])));
}

/** Increments the catalog version. Call it last in every transaction that changes attributes or product models. */
export async function bumpCatalogVersion(sql: Queryable): Promise<void> {
  await sql`UPDATE catalog_version SET version = version + 1`;
}

/** Runs a change of attributes or product models in one transaction, under a new catalog version. Returns its result. */
export async function changeCatalog<T>(sql: Sql, change: (tx: Transaction) => Promise<T>): Promise<T> {
  return await inTransaction(sql, async (tx) => {
    const changed = await change(tx);
    await bumpCatalogVersion(tx);
    return changed;
  });
}

/** Compiled product models of one catalog version, until prices change. */
interface CachedCatalog {
  readonly version: string;
  pricesUntil: number;
  readonly models: LRUCache<string, CatalogModel>;
}

const catalogs = new WeakMap<Sql, CachedCatalog>();

/**
 * Returns product models by id. Reads those that are not cached, and skips unknown ids. Compiling a product model takes
 * several times as long as building a product of it.
 * @param version of the catalog, read before by the same caller
 */
export async function catalogModels(
  sql: Sql,
  version: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CatalogModel>> {
  let catalog = catalogs.get(sql);
  if (catalog?.version !== version || Date.now() >= catalog.pricesUntil) {
    catalog = { version, pricesUntil: Number.POSITIVE_INFINITY, models: new LRUCache({ max: 2_000 }) };
    catalogs.set(sql, catalog);
  }
  const { models } = catalog;
  const found = new Map<string, CatalogModel>();
  for (const id of ids) {
    const known = models.get(id);
    if (known !== undefined) found.set(id, known);
  }
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  for (const [id, model] of await loadCatalogModels(sql, missing)) {
    found.set(id, model);
    models.set(id, model);
    catalog.pricesUntil = Math.min(catalog.pricesUntil, model.pricesUntil);
  }
  return found;
}

/** Returns the version of the catalog. */
export async function catalogVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`SELECT version FROM catalog_version`;
  return row!.version;
}
