import { z } from 'zod';
import { repeatsOf, text } from '../platform/domain/fields';
import { Refusal } from '../platform/errors';
import { json, type Queryable, type Sql, type Transaction } from '../platform/postgres';
import { attributeId, timestamp } from './fields';

const propertyValue = z.union([z.string().max(1_000), z.number(), z.array(z.string().max(1_000)).max(100)]);

export const attributeValue = z.object({
  id: attributeId,
  description: z.string().max(1_000).nullable().default(null),
  properties: z
    .record(z.string().min(1).max(100), propertyValue)
    .refine((given) => Object.keys(given).length <= 100, 'No more than 100 properties')
    .default({}),
  isCustom: z.boolean().default(false).describe('Accepts any input, such as a page count'),
  isDefault: z
    .boolean()
    .default(false)
    .describe('The default selection when the attribute is added to a new product model'),
});

export const attributeValues = z
  .array(attributeValue)
  .min(1)
  .max(1_000)
  .check(({ value, issues }) => {
    const defaults = value.flatMap(({ isDefault }, at) => (isDefault ? [at] : []));
    for (const at of defaults.slice(1)) {
      const message = 'An attribute can have only one default value.';
      issues.push({ code: 'custom', message, path: [at, 'isDefault'], input: true });
    }
    for (const at of repeatsOf(value.map(({ id }) => id))) {
      const input = value[at]!.id;
      issues.push({ code: 'custom', message: `Id "${input}" is listed twice.`, path: [at, 'id'], input });
    }
  })
  .meta({ examples: [[{ id: 'xxxl', description: 'XXXL', properties: { order: 7 } }]] });

export const storedAttributeValue = z
  .object({
    id: z.string(),
    description: z.string().optional().describe('Absent when none was given'),
    properties: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .describe('Includes computed properties: rgb and cmyk for a hex colour code, inches for millimetres'),
    isCustom: z.boolean(),
    isDefault: z.boolean(),
    attributeId: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'AttributeValue' });

const propertyDefinition = z.object({
  id: text(100),
  description: z.string().max(1_000).default(''),
  type: text(50).default('string'),
});

export const attribute = z
  .object({
    description: text(1_000),
    properties: z.array(propertyDefinition).max(100).default([]),
  })
  .meta({ examples: [{ description: 'Size of a garment' }] });

export type PropertyValue = z.output<typeof propertyValue>;
export type PropertyDefinition = z.output<typeof propertyDefinition>;
export type AttributeValue = z.output<typeof attributeValue>;
export type Attribute = z.output<typeof attribute> & { readonly id: string };

export interface StoredAttributeValue extends AttributeValue {
  readonly attributeId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Every attribute with its values as they were given. */
export const attributeList = z.object({
  attributes: z.array(
    z.object({
      id: z.string(),
      description: z.string(),
      properties: z.array(z.object({ id: z.string(), description: z.string(), type: z.string() })),
      values: z.array(
        storedAttributeValue
          .pick({ id: true, isCustom: true, isDefault: true })
          .extend({ description: z.string().nullable(), properties: z.record(z.string(), propertyValue) }),
      ),
    }),
  ),
});

/** Returns every attribute by id, with its values in order of creation. */
export async function listAttributes(sql: Sql): Promise<z.output<typeof attributeList>['attributes']> {
  return await sql`
    SELECT id, description, properties, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'description', description, 'properties', properties,
                                                   'isCustom', is_custom, 'isDefault', is_default) ORDER BY position), '[]')
      FROM attribute_values WHERE attribute_id = attributes.id
    ) AS values
    FROM attributes ORDER BY id`;
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
export async function valuesOfAttribute(sql: Sql, attributeId: string): Promise<StoredAttributeValue[] | undefined> {
  const rows = await sql<(StoredAttributeValue & { id: string | null })[]>`
    SELECT ${sql(COLUMNS.map((column) => `offered.${column}`))}
    FROM attributes LEFT JOIN attribute_values AS offered ON offered.attribute_id = attributes.id
    WHERE attributes.id = ${attributeId}
    ORDER BY offered.position`;
  return rows.length === 0 ? undefined : rows.filter(({ id }) => id !== null);
}

/**
 * Creates an attribute or replaces its description and property definitions. Call it in `changeCatalog`.
 * @returns the attribute before the change; null for a new one
 */
export async function putAttribute(
  tx: Transaction,
  { id, description, properties }: Attribute,
): Promise<Attribute | null> {
  const [before] = await tx<Attribute[]>`
    SELECT id, description, properties FROM attributes WHERE id = ${id} FOR UPDATE`;
  await tx`
    INSERT INTO attributes (id, description, properties)
    VALUES (${id}, ${description}, ${json(tx, properties)})
    ON CONFLICT (id) DO UPDATE
    SET description = excluded.description, properties = excluded.properties, updated_at = now()`;
  return before ?? null;
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
  if (attribute === undefined) throw new Refusal('NOT_FOUND', { message: `There is no attribute "${attributeId}".` });
}

/**
 * @param fieldOf returns the place of the value at an index in the request
 * @throws Refusal `CONFLICT` at the second default value, when the given values add one to an attribute
 */
async function refuseSecondDefault(
  tx: Transaction,
  attributeId: string,
  values: readonly AttributeValue[],
  fieldOf = (at: number) => `[${at}].`,
) {
  const at = values.findIndex(({ isDefault }) => isDefault);
  if (at === -1) return;
  const [other] = await tx<{ id: string }[]>`
    SELECT id FROM attribute_values
    WHERE attribute_id = ${attributeId} AND is_default AND id <> ALL(${values.map(({ id }) => id)})`;
  if (other === undefined) return;
  const message = `Attribute "${attributeId}" already has the default value "${other.id}".`;
  throw new Refusal('CONFLICT', {
    message,
    errors: [{ code: 'VALIDATION_ERROR', message, reference: `${fieldOf(at)}isDefault` }],
  });
}

const sortLike = (values: readonly AttributeValue[], stored: readonly StoredAttributeValue[]) => {
  const byId = new Map(stored.map((value) => [value.id, value]));
  return values.map(({ id }) => byId.get(id)!);
};

/**
 * Adds values to an attribute: all of them or none. Call it in `changeCatalog`.
 * @throws Refusal `NOT_FOUND` for an unknown attribute; `CONFLICT`, which names every value that already exists, or a
 * second default value
 */
export async function addAttributeValues(
  tx: Transaction,
  attributeId: string,
  values: readonly AttributeValue[],
): Promise<StoredAttributeValue[]> {
  await lockAttribute(tx, attributeId);
  await refuseSecondDefault(tx, attributeId, values);
  const added = await tx<StoredAttributeValue[]>`
    INSERT INTO attribute_values ${tx(rows(tx, attributeId, values))}
    ON CONFLICT (attribute_id, id) DO NOTHING
    RETURNING ${tx(COLUMNS)}`;
  if (added.length === values.length) return sortLike(values, added);
  const ids = new Set(added.map(({ id }) => id));
  throw new Refusal('CONFLICT', {
    message: `Attribute "${attributeId}" already has some of these values.`,
    errors: values.flatMap(({ id }, at) => {
      const error = { code: 'VALIDATION_ERROR', message: `Value "${id}" already exists.` } as const;
      return ids.has(id) ? [] : [{ ...error, reference: `[${at}].id` }];
    }),
  });
}

/**
 * Replaces values of an attribute by id and adds new ones. Values that are not given stay unchanged. Call it in
 * `changeCatalog`.
 * @param fieldOf returns the place of the value at an index in the request; default: the request is the list
 * @returns `before`: the values that were replaced; `after`: the values as stored, in the given order
 * @throws Refusal `NOT_FOUND` for an unknown attribute; `CONFLICT` for a second default value
 */
export async function replaceAttributeValues(
  tx: Transaction,
  attributeId: string,
  values: readonly AttributeValue[],
  fieldOf?: (at: number) => string,
): Promise<{ readonly before: readonly StoredAttributeValue[]; readonly after: StoredAttributeValue[] }> {
  await lockAttribute(tx, attributeId);
  await refuseSecondDefault(tx, attributeId, values, fieldOf);
  const before = await tx<StoredAttributeValue[]>`
    SELECT ${tx(COLUMNS)} FROM attribute_values
    WHERE attribute_id = ${attributeId} AND id = ANY(${values.map(({ id }) => id)})`;
  const replaced = await tx<StoredAttributeValue[]>`
    INSERT INTO attribute_values ${tx(rows(tx, attributeId, values))}
    ON CONFLICT (attribute_id, id) DO UPDATE
    SET description = excluded.description, properties = excluded.properties,
        is_custom = excluded.is_custom, is_default = excluded.is_default, updated_at = now()
    RETURNING ${tx(COLUMNS)}`;
  return { before, after: sortLike(values, replaced) };
}

/** Most products that a refusal names. */
const MOST_NAMED = 20;

/**
 * Removes a value of an attribute and returns it. Call it in `changeCatalog`.
 * @throws Refusal `NOT_FOUND`; `CONFLICT` for a value that product models or customer products name, with their ids
 */
export async function removeAttributeValue(
  tx: Transaction,
  attributeId: string,
  valueId: string,
): Promise<StoredAttributeValue> {
  await lockAttribute(tx, attributeId);
  const contains = (value: object) => json(tx, value);
  const users = await tx<{ name: string }[]>`
    SELECT format('product model %s', id) AS name FROM product_models
    WHERE attributes @> ${contains([{ id: attributeId, valueIds: [valueId] }])}
      OR attributes @> ${contains([{ id: attributeId, defaultValueId: valueId }])}
      OR production -> 'printAreas' @> ${contains([{ when: { attributeId, valueIds: [valueId] } }])}
      OR production -> 'priceFactors' -> ${attributeId}::text ? ${valueId}
      OR production -> 'addedGrams' -> ${attributeId}::text ? ${valueId}
    UNION ALL
    SELECT format('customer product %s', id) FROM customer_products
    WHERE variant_options @> ${contains([{ values: [{ attributeValues: [{ attributes: { [attributeId]: valueId } }] }] }])}
    LIMIT ${MOST_NAMED}`;
  if (users.length > 0) {
    const names = users.map(({ name }) => name).join(', ');
    throw new Refusal('CONFLICT', {
      message: `Value "${valueId}" of attribute "${attributeId}" is in use by ${names}.`,
    });
  }
  const [removed] = await tx<StoredAttributeValue[]>`
    DELETE FROM attribute_values WHERE attribute_id = ${attributeId} AND id = ${valueId} RETURNING ${tx(COLUMNS)}`;
  if (removed === undefined) {
    throw new Refusal('NOT_FOUND', { message: `Attribute "${attributeId}" has no value "${valueId}".` });
  }
  return removed;
}
