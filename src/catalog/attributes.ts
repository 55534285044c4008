import { Refusal } from '../platform/errors';
import { inTransaction, json, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import { bumpCatalogVersion, catalogCache } from './catalog-models';
import type { Attribute, AttributeValue } from './domain/product-model';

export interface StoredAttributeValue extends AttributeValue {
  readonly attributeId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = [
  'attribute_id',
  'id',
  'description',
  'properties',
  'is_custom',
  'is_default',
  'created_at',
  'updated_at',
];

/** Returns the values of an attribute in order of creation, or undefined when the attribute does not exist. */
export async function attributeValues(
  sql: Sql,
  attributeId: string,
): Promise<StoredAttributeValue[] | undefined> {
  const rows = await sql<(StoredAttributeValue & { id: string | null })[]>`
    SELECT ${sql(COLUMNS.map((column) => `offered.${column}`))}
    FROM attributes LEFT JOIN attribute_values AS offered ON offered.attribute_id = attributes.id
    WHERE attributes.id = ${attributeId}
    ORDER BY offered.position`;
  return rows.length === 0 ? undefined : rows.filter(({ id }) => id !== null);
}

/**
 * Creates an attribute or replaces its description and property definitions.
 * @param alongside runs in the same transaction; `before` is null for a new attribute
 */
export async function putAttribute(
  sql: Sql,
  { id, description, properties }: Attribute,
  alongside: (tx: Transaction, before: Attribute | null) => Promise<void>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [before] = await tx<Attribute[]>`
      SELECT id, description, properties FROM attributes WHERE id = ${id} FOR UPDATE`;
    await tx`
      INSERT INTO attributes (id, description, properties)
      VALUES (${id}, ${description}, ${json(tx, properties)})
      ON CONFLICT (id) DO UPDATE
      SET description = excluded.description, properties = excluded.properties, updated_at = now()`;
    await bumpCatalogVersion(tx);
    await alongside(tx, before ?? null);
  });
  catalogCache(sql).invalidate();
}

function rows(sql: Queryable, attributeId: string, values: readonly AttributeValue[]) {
  return values.map(({ id, description, properties, isCustom, isDefault }) => ({
    attribute_id: attributeId,
    id,
    description,
    properties: json(sql, properties),
    is_custom: isCustom,
    is_default: isDefault,
  }));
}

async function lockAttribute(tx: Queryable, attributeId: string): Promise<void> {
  const [attribute] = await tx`SELECT 1 FROM attributes WHERE id = ${attributeId} FOR UPDATE`;
  if (attribute === undefined)
    throw new Refusal('NOT_FOUND', { message: `There is no attribute "${attributeId}".` });
}

const sortLike = (values: readonly AttributeValue[], stored: readonly StoredAttributeValue[]) => {
  const byId = new Map(stored.map((value) => [value.id, value]));
  return values.map(({ id }) => byId.get(id)!);
};

/**
 * Adds values to an attribute in one transaction: all of them or none.
 * @param alongside runs in the same transaction, for rows that must be committed together with the values
 * @throws Refusal `NOT_FOUND` for an unknown attribute; `CONFLICT`, which names every value that already exists
 */
export async function addAttributeValues(
  sql: Sql,
  attributeId: string,
  values: readonly AttributeValue[],
  alongside: (tx: Transaction, stored: readonly StoredAttributeValue[]) => Promise<void>,
): Promise<StoredAttributeValue[]> {
  const stored = await inTransaction(sql, async (tx) => {
    await lockAttribute(tx, attributeId);
    const added = await tx<StoredAttributeValue[]>`
      INSERT INTO attribute_values ${tx(rows(tx, attributeId, values))}
      ON CONFLICT (attribute_id, id) DO NOTHING
      RETURNING ${tx(COLUMNS)}`;
    if (added.length < values.length) {
      const ids = new Set(added.map(({ id }) => id));
      throw new Refusal('CONFLICT', {
        message: `Attribute "${attributeId}" already has some of these values.`,
        errors: values.flatMap(({ id }, at) =>
          ids.has(id)
            ? []
            : [
                {
                  code: 'VALIDATION_ERROR',
                  message: `Value "${id}" already exists.`,
                  reference: `[${at}].id`,
                },
              ],
        ),
      });
    }
    await bumpCatalogVersion(tx);
    const stored = sortLike(values, added);
    await alongside(tx, stored);
    return stored;
  });
  catalogCache(sql).invalidate();
  return stored;
}

/**
 * Replaces values of an attribute by id and adds new ones. Values that are not given stay unchanged.
 * @param alongside runs in the same transaction; `before` holds the values that were replaced
 * @throws Refusal `NOT_FOUND` for an unknown attribute
 */
export async function replaceAttributeValues(
  sql: Sql,
  attributeId: string,
  values: readonly AttributeValue[],
  alongside: (
    tx: Transaction,
    before: readonly StoredAttributeValue[],
    after: readonly StoredAttributeValue[],
  ) => Promise<void>,
): Promise<StoredAttributeValue[]> {
  const stored = await inTransaction(sql, async (tx) => {
    await lockAttribute(tx, attributeId);
    const before = await tx<StoredAttributeValue[]>`
      SELECT ${tx(COLUMNS)} FROM attribute_values
      WHERE attribute_id = ${attributeId} AND id = ANY(${values.map(({ id }) => id)})`;
    const replaced = await tx<StoredAttributeValue[]>`
      INSERT INTO attribute_values ${tx(rows(tx, attributeId, values))}
      ON CONFLICT (attribute_id, id) DO UPDATE
      SET description = excluded.description, properties = excluded.properties,
          is_custom = excluded.is_custom, is_default = excluded.is_default, updated_at = now()
      RETURNING ${tx(COLUMNS)}`;
    await bumpCatalogVersion(tx);
    await alongside(tx, before, replaced);
    return replaced;
  });
  catalogCache(sql).invalidate();
  return sortLike(values, stored);
}
