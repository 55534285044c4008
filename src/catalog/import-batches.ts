import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { text } from '../platform/domain/fields';
import { Refusal } from '../platform/errors';
import { uuidv7 } from '../platform/ids';
import { json, type Transaction } from '../platform/postgres';
import { type AttributeValue, attribute, attributeValue, putAttribute, replaceAttributeValues } from './attributes';
import { bumpCatalogVersion, loadCatalogModels } from './catalog-models';
import { ALL_CUSTOMERS, newCustomerProduct, variantValues } from './customer-product-schemas';
import type { CatalogModel } from './domain/catalog-model';
import { customerProductFaults, variantValueFaults } from './domain/customer-product-rules';
import { attributeId } from './fields';
import { newProductModel } from './product-model-schemas';
import { changeProductModel, createProductModel, readProductModel } from './product-models';

/** The kinds of import lines. A line without `kind` is a customer product. */
export const KINDS = ['attribute', 'attribute_value', 'product_model', 'customer_product'] as const;
export type Kind = (typeof KINDS)[number];

const customerProductLine = newCustomerProduct.extend({
  reference: text(200),
  variantOptions: z
    .array(
      newCustomerProduct.shape.variantOptions.element.extend({
        values: variantValues.element.shape.values.default([]),
      }),
    )
    .max(20)
    .default([]),
});

export const LINES = {
  attribute: attribute.extend({ id: attributeId }),
  attribute_value: attributeValue.extend({ attributeId }),
  product_model: newProductModel.extend({
    id: newProductModel.shape.id.unwrap(),
    state: newProductModel.shape.state.unwrap().optional(),
  }),
  customer_product: customerProductLine,
} as const;

type LineOf<K extends Kind> = z.output<(typeof LINES)[K]>;

export interface ImportFault {
  /** Path of the field. Empty for the line as a whole. */
  readonly reference: string;
  readonly message: string;
}

/** The result of a line: what was done, or the faults for which it was refused. */
export type Outcome = 'created' | 'updated' | 'unchanged' | readonly ImportFault[];

/** Lines of one kind that are written together. */
export interface Batch<K extends Kind = Kind> {
  readonly kind: K;
  readonly lines: { readonly line: number; readonly value: LineOf<K> }[];
}

/** Compiled product models by id, null for unknown ids. Cleared when a batch changes product models or attributes. */
export type KnownModels = Map<string, CatalogModel | null>;

/** Returns a fault of the line as a whole. */
export const whole = (message: string): readonly ImportFault[] => [{ reference: '', message }];

/** Writes lines one by one, with every check of the API. */
async function writeEach<K extends Kind>(
  tx: Transaction,
  { lines }: Batch<K>,
  write: (tx: Transaction, value: LineOf<K>) => Promise<Outcome>,
): Promise<Outcome[]> {
  const results: Outcome[] = [];
  for (const { value } of lines) {
    try {
      results.push(await tx.savepoint((nested) => write(nested as unknown as Transaction, value)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      results.push(error.errors?.map(({ reference, message }) => ({ reference, message })) ?? whole(error.message));
    }
  }
  return results;
}

async function writeAttribute(tx: Transaction, value: LineOf<'attribute'>): Promise<Outcome> {
  const before = await putAttribute(tx, value);
  if (before === null) return 'created';
  return isDeepStrictEqual(before, value) ? 'unchanged' : 'updated';
}

async function writeAttributeValue(
  tx: Transaction,
  { attributeId, ...value }: LineOf<'attribute_value'>,
): Promise<Outcome> {
  const [attribute] = await tx<{ stored: AttributeValue | null }[]>`
    SELECT (SELECT jsonb_build_object('id', id, 'description', description, 'properties', properties,
                                      'isCustom', is_custom, 'isDefault', is_default)
            FROM attribute_values WHERE attribute_id = attributes.id AND id = ${value.id}) AS stored
    FROM attributes WHERE id = ${attributeId}`;
  if (attribute === undefined) {
    return [{ reference: 'attributeId', message: `There is no attribute "${attributeId}".` }];
  }
  if (isDeepStrictEqual(attribute.stored, value)) return 'unchanged';
  await replaceAttributeValues(tx, attributeId, [value], () => '');
  return attribute.stored === null ? 'created' : 'updated';
}

async function writeProductModel(tx: Transaction, value: LineOf<'product_model'>): Promise<Outcome> {
  if ((await readProductModel(tx, value.id)) === undefined) {
    await createProductModel(tx, { ...value, state: value.state ?? 'draft' });
    return 'created';
  }
  const { before, after } = await changeProductModel(tx, value.id, value);
  return isDeepStrictEqual(before, after) ? 'unchanged' : 'updated';
}

/** Returns the faults that the API would report for a customer product and its variant values. */
function customerProductLineFaults(
  value: LineOf<'customer_product'>,
  model: CatalogModel | null | undefined,
): readonly ImportFault[] {
  if (model == null) {
    return [{ reference: 'productModelId', message: `There is no product model "${value.productModelId}".` }];
  }
  const faults: ImportFault[] = customerProductFaults(value, model);
  const empty = value.variantOptions.map((option) => ({ ...option, state: 'published', values: [] }));
  const added = value.variantOptions.map(({ id, values }) => ({ variantOptionId: id, values }));
  const onValues = variantValueFaults(added, empty, model).faults.map(({ reference, message }) => ({
    reference: `variantOptions${reference}`,
    message,
  }));
  return faults.concat(onValues);
}

async function writeCustomerProducts(
  tx: Transaction,
  { lines }: Batch<'customer_product'>,
  models: KnownModels,
): Promise<Outcome[]> {
  const needed = [...new Set(lines.map(({ value }) => value.productModelId))].filter((id) => !models.has(id));
  if (needed.length > 0) {
    const loaded = await loadCatalogModels(tx, needed);
    for (const id of needed) models.set(id, loaded.get(id) ?? null);
  }
  const faults = lines.map(({ value }) => customerProductLineFaults(value, models.get(value.productModelId)));
  const rows = lines
    .filter((_, at) => faults[at]!.length === 0)
    .map(({ value }) => ({
      id: uuidv7(),
      name: value.name,
      customer_ids: value.customerIds ?? [ALL_CUSTOMERS],
      product_model_id: value.productModelId,
      reference: value.reference,
      variant_options: value.variantOptions.map(({ id, name, attributesMapping, values }) => ({
        id,
        name,
        attributesMapping,
        state: 'published',
        values,
      })),
      part_quantities: value.partQuantities ?? null,
    }));
  const written = await tx<{ reference: string; created: boolean }[]>`
    INSERT INTO customer_products AS stored
      (id, name, customer_ids, product_model_id, reference, variant_options, part_quantities)
    SELECT id, name, customer_ids, product_model_id, reference, variant_options, nullif(part_quantities, 'null')
    FROM jsonb_to_recordset(${json(tx, rows)}) AS line
      (id uuid, name text, customer_ids text[], product_model_id text, reference text, variant_options jsonb,
       part_quantities jsonb)
    ON CONFLICT (reference) DO UPDATE
    SET name = excluded.name, customer_ids = excluded.customer_ids, product_model_id = excluded.product_model_id,
        variant_options = excluded.variant_options, part_quantities = excluded.part_quantities, updated_at = now()
    WHERE (stored.name, stored.customer_ids, stored.product_model_id, stored.variant_options, stored.part_quantities)
          IS DISTINCT FROM (excluded.name, excluded.customer_ids, excluded.product_model_id,
                            excluded.variant_options, excluded.part_quantities)
    RETURNING reference, xmax = 0 AS created`;
  const created = new Map(written.map((row) => [row.reference, row.created]));
  return lines.map(({ value }, at) => {
    if (faults[at]!.length > 0) return faults[at]!;
    const isNew = created.get(value.reference);
    return isNew === undefined ? 'unchanged' : isNew ? 'created' : 'updated';
  });
}

/** Creates or replaces the things on the lines of a batch. @returns the outcome of each line, in order */
export async function writeBatch(tx: Transaction, batch: Batch, models: KnownModels): Promise<Outcome[]> {
  if (batch.kind === 'customer_product') {
    return await writeCustomerProducts(tx, batch as Batch<'customer_product'>, models);
  }
  const results =
    batch.kind === 'attribute'
      ? await writeEach(tx, batch as Batch<'attribute'>, writeAttribute)
      : batch.kind === 'attribute_value'
        ? await writeEach(tx, batch as Batch<'attribute_value'>, writeAttributeValue)
        : await writeEach(tx, batch as Batch<'product_model'>, writeProductModel);
  if (results.some((outcome) => outcome === 'created' || outcome === 'updated')) {
    models.clear();
    await bumpCatalogVersion(tx);
  }
  return results;
}
