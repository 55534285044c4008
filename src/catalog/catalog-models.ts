import { LRUCache } from 'lru-cache';
import { inTransaction, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import type { Attribute, AttributeValue } from './attributes';
import type { CatalogModel, OfferedAttribute } from './domain/catalog-model';
import type { ResolvedProduct } from './domain/product';
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
 */
export async function loadCatalogModels(sql: Queryable, ids: readonly string[]): Promise<Map<string, CatalogModel>> {
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

  const now = Date.now();
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
  const result = await inTransaction(sql, async (tx) => {
    const changed = await change(tx);
    await bumpCatalogVersion(tx);
    return changed;
  });
  catalogCache(sql).invalidate();
  return result;
}

/** Caches the compiled catalog of one database in this process, for one catalog version. */
export class CatalogCache {
  private version = -1n;
  /** When the prices of a cached product model change next. */
  private pricesUntil = Number.POSITIVE_INFINITY;
  /** How often the cache was cleared. What was read before a clearing is not cached after it. */
  private clearings = 0;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private readonly models = new LRUCache<string, CatalogModel>({ max: 2_000 });
  /** By productUid. An order of cached products needs no SQL statement. */
  private readonly products = new LRUCache<string, ResolvedProduct>({ max: 10_000 });

  /**
   * Milliseconds for which the cache is used without a check of the catalog version, and so the longest time that a
   * change by another process stays unseen. A product that is not in the cache is always looked up.
   */
  static readonly FRESH_MS = 1_000;

  /** Records the version that the database has now. Clears the cache when it is newer than the cached one or prices change. */
  sawVersion(version: string, now: number): void {
    const seen = BigInt(version);
    if (seen > this.version || now >= this.pricesUntil) {
      this.models.clear();
      this.products.clear();
      this.pricesUntil = Number.POSITIVE_INFINITY;
      this.clearings += 1;
      if (seen > this.version) this.version = seen;
    }
    this.checkedAt = now;
  }

  /** Returns true when the version was checked less than FRESH_MS ago and the cached prices are in force. */
  fresh(now: number): boolean {
    return now < this.pricesUntil && now - this.checkedAt < CatalogCache.FRESH_MS;
  }

  /** Forces a version check before the next use. Call it after every change that this process makes. */
  invalidate(): void {
    this.checkedAt = Number.NEGATIVE_INFINITY;
  }

  product(productUid: string): ResolvedProduct | undefined {
    return this.products.get(productUid);
  }

  /**
   * Returns product models by id, reading those that are not cached, and `keep`, which caches a product built from
   * them. Nothing read before the cache was cleared is cached.
   */
  async modelsById(
    sql: Queryable,
    ids: readonly string[],
  ): Promise<{
    readonly models: ReadonlyMap<string, CatalogModel>;
    readonly keep: (product: ResolvedProduct) => void;
  }> {
    const { clearings } = this;
    const models = new Map<string, CatalogModel>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const known = this.models.get(id);
      if (known === undefined) missing.push(id);
      else models.set(id, known);
    }
    if (missing.length > 0) {
      for (const [id, model] of await loadCatalogModels(sql, missing)) {
        models.set(id, model);
        if (this.clearings !== clearings) continue;
        this.models.set(id, model);
        this.pricesUntil = Math.min(this.pricesUntil, model.pricesUntil);
      }
    }
    const keep = (product: ResolvedProduct) => {
      if (this.clearings === clearings) this.products.set(product.productUid, product);
    };
    return { models, keep };
  }
}

const caches = new WeakMap<Sql, CatalogCache>();

/** Returns the catalog cache of a connection pool's database. */
export function catalogCache(sql: Sql): CatalogCache {
  let cache = caches.get(sql);
  if (cache === undefined) {
    cache = new CatalogCache();
    caches.set(sql, cache);
  }
  return cache;
}
