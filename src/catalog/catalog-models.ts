import type { Queryable, Sql } from '../platform/postgres';
import type { CatalogModel, OfferedAttribute } from './domain/catalog-model';
import type { ResolvedProduct } from './domain/product';
import {
  type Attribute,
  type AttributeValue,
  type ModelAttribute,
  type ProductModel,
  productionSpec,
} from './domain/product-model';
import { parseTemplate } from './domain/product-uid';

interface ModelRow extends Omit<ProductModel, 'production'> {
  readonly production: object;
}

interface AttributeRow extends Attribute {
  readonly values: readonly AttributeValue[] | null;
}

export function modelOf(row: ModelRow): ProductModel {
  return { ...row, production: productionSpec.parse(row.production) };
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

/** Reads product models by id, with the values of their attributes and the models of their parts. Unknown ids are left out. */
export async function loadCatalogModels(
  sql: Queryable,
  ids: readonly string[],
): Promise<Map<string, CatalogModel>> {
  const rows = await sql<ModelRow[]>`
    WITH wanted AS (SELECT * FROM product_models WHERE id = ANY(${ids as string[]})),
    needed AS (
      SELECT id FROM wanted
      UNION
      SELECT part ->> 'modelId' FROM wanted CROSS JOIN jsonb_array_elements(parts) AS part
    )
    SELECT id, name, description, preview_url, category_id, product_uid_template, state, attributes, parts, production
    FROM product_models JOIN needed USING (id)`;
  const attributeIds = [
    ...new Set(rows.flatMap(({ attributes }) => attributes.map((entry) => entry.attributeId))),
  ];
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

  const compile = (row: ModelRow, parts: ReadonlyMap<string, CatalogModel>): CatalogModel => {
    const parsed = parseTemplate(row.productUidTemplate);
    if (!parsed.ok) throw new Error(`product model ${row.id} has a wrong template: ${parsed.message}`);
    return {
      model: modelOf(row),
      template: parsed.template,
      attributes: new Map(
        row.attributes.map((entry) => [
          entry.attributeId,
          offer(attributeById.get(entry.attributeId)!, entry),
        ]),
      ),
      parts,
    };
  };
  const simple = new Map(
    rows.filter(({ parts }) => parts.length === 0).map((row) => [row.id, compile(row, new Map())]),
  );
  const wanted = new Set(ids);
  return new Map(
    rows
      .filter(({ id }) => wanted.has(id))
      .map((row) => {
        const parts = row.parts.flatMap(({ modelId }) => {
          const part = simple.get(modelId);
          return part === undefined ? [] : [[modelId, part] as const];
        });
        return [row.id, simple.get(row.id) ?? compile(row, new Map(parts))];
      }),
  );
}

/** Called in the transaction of every change of attributes or product models, last. */
export async function bumpCatalogVersion(sql: Queryable): Promise<void> {
  await sql`UPDATE catalog_version SET version = version + 1`;
}

/** A map that forgets its oldest entries above a size. */
class BoundedMap<K, V> extends Map<K, V> {
  constructor(private readonly limit: number) {
    super();
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    if (this.size > this.limit) this.delete(this.keys().next().value as K);
    return this;
  }
}

/** What one process keeps of a database's catalog, valid for one catalog version. */
export class CatalogCache {
  private version = -1n;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private readonly models = new BoundedMap<string, CatalogModel>(2_000);
  /** By productUid: an order of known products costs no statement at all. */
  private readonly products = new BoundedMap<string, ResolvedProduct>(10_000);

  /**
   * How long a process may go on selling from what it knows after another process changed the catalog. A product that
   * it does not know is always looked up.
   */
  static readonly TRUSTED_MS = 1_000;

  /** Forgets everything when the version is newer. */
  sawVersion(version: string, now: number): void {
    const seen = BigInt(version);
    if (seen > this.version) {
      this.models.clear();
      this.products.clear();
      this.version = seen;
    }
    this.checkedAt = now;
  }

  trusted(now: number): boolean {
    return now - this.checkedAt < CatalogCache.TRUSTED_MS;
  }

  distrust(): void {
    this.checkedAt = Number.NEGATIVE_INFINITY;
  }

  product(productUid: string): ResolvedProduct | undefined {
    return this.products.get(productUid);
  }

  /**
   * Product models by id, those that are missing read from the database, and a way to keep what was built of them.
   * What was read under one version is not kept when a newer one was seen meanwhile.
   */
  async modelsById(
    sql: Queryable,
    ids: readonly string[],
  ): Promise<{
    readonly models: ReadonlyMap<string, CatalogModel>;
    readonly keep: (product: ResolvedProduct) => void;
  }> {
    const version = this.version;
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
        if (this.version === version) this.models.set(id, model);
      }
    }
    const keep = (product: ResolvedProduct) => {
      if (this.version === version) this.products.set(product.productUid, product);
    };
    return { models, keep };
  }
}

const caches = new WeakMap<Sql, CatalogCache>();

/** The cache of a pool's database. */
export function catalogCache(sql: Sql): CatalogCache {
  let cache = caches.get(sql);
  if (cache === undefined) {
    cache = new CatalogCache();
    caches.set(sql, cache);
  }
  return cache;
}
