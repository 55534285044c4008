import { isDeepStrictEqual } from 'node:util';
import { type FieldError, Refusal } from '../platform/errors';
import {
  inTransaction,
  json,
  type Queryable,
  type Sql,
  type Transaction,
  violatesUnique,
} from '../platform/postgres';
import { bumpCatalogVersion, catalogCache } from './catalog-models';
import {
  type AttributeValue,
  MODEL_TRANSITIONS,
  type ModelAttribute,
  type ModelPart,
  type ModelState,
  type ProductionInput,
  type ProductModel,
  type PropertyDefinition,
} from './domain/product-model';
import { parseTemplate, type UidTemplate } from './domain/product-uid';

/** A product model as lists show it. */
export interface ListedModel extends Omit<ProductModel, 'attributes' | 'production'> {
  readonly attributes: readonly (ModelAttribute & {
    readonly description: string;
    readonly properties: readonly PropertyDefinition[];
  })[];
  readonly production: ProductionInput;
}

export interface ModelFilter {
  readonly modelIds?: readonly string[] | undefined;
  readonly state?: ModelState | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Product models by id and state, in the order of their ids. */
export async function listProductModels(
  sql: Queryable,
  { modelIds, state, offset, limit }: ModelFilter,
): Promise<ListedModel[]> {
  return await sql<ListedModel[]>`
    SELECT model.id, model.name, model.description, preview_url, category_id, product_uid_template, state, parts,
           production, described.attributes
    FROM (
      SELECT * FROM product_models
      WHERE true
        ${modelIds === undefined ? sql`` : sql`AND id = ANY(${modelIds as string[]})`}
        ${state === undefined ? sql`` : sql`AND state = ${state}`}
      ORDER BY id OFFSET ${offset} LIMIT ${limit}
    ) AS model
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(entry.value || jsonb_build_object('description', attributes.description,
                                                                  'properties', attributes.properties)
                                ORDER BY entry.ordinality), '[]') AS attributes
      FROM jsonb_array_elements(model.attributes) WITH ORDINALITY AS entry
      JOIN attributes ON attributes.id = entry.value ->> 'attributeId'
    ) AS described
    ORDER BY model.id`;
}

/** What an operator says of an attribute in a product model. */
export interface OfferedInput {
  readonly id: string;
  readonly valueIds?: readonly string[] | null | undefined;
  readonly defaultValueId?: string | null | undefined;
}

export interface NewProductModel extends Omit<ProductModel, 'attributes' | 'production' | 'state'> {
  readonly state: 'draft' | 'active';
  /** In the template's order when left out. */
  readonly attributes?: readonly OfferedInput[] | undefined;
  readonly production: ProductionInput;
}

/** What may change; a template, attributes' names and parts only while the product model is a draft. */
export interface ProductModelChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly previewUrl?: string | undefined;
  readonly categoryId?: string | undefined;
  readonly state?: ModelState | undefined;
  readonly productUidTemplate?: string | undefined;
  readonly attributes?: readonly OfferedInput[] | undefined;
  readonly parts?: readonly ModelPart[] | undefined;
  readonly production?: ProductionInput | undefined;
}

const refuse = (errors: FieldError[]) => new Refusal('VALIDATION_ERROR', { errors });
const unknown = (reference: string, message: string): FieldError => ({
  code: 'NO_SUCH_CHOICE_ERROR',
  message,
  reference,
});

function templateOf(text: string): UidTemplate {
  const parsed = parseTemplate(text);
  if (parsed.ok) return parsed.template;
  throw refuse([
    { code: 'VALIDATION_ERROR', message: `The template ${parsed.message}.`, reference: 'productUidTemplate' },
  ]);
}

/** Every attribute that the production spec reads, with its path. */
function specReferences(spec: ProductionInput): [reference: string, attributeId: string][] {
  const references: [string, string | undefined][] = [
    ['production.sizeAttribute', spec.sizeAttribute],
    ['production.orientationAttribute', spec.orientationAttribute],
    ['production.paperAttribute', spec.paperAttribute],
    ['production.pages.attributeId', spec.pages?.attributeId],
    ...(spec.printAreas ?? []).map(
      ({ when }, at) =>
        [`production.printAreas[${at}].when.attributeId`, when?.attributeId] as [string, string | undefined],
    ),
    ...Object.keys(spec.priceFactors ?? {}).map(
      (id) => [`production.priceFactors.${id}`, id] as [string, string],
    ),
    ...Object.keys(spec.addedGrams ?? {}).map(
      (id) => [`production.addedGrams.${id}`, id] as [string, string],
    ),
  ];
  return references.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** Rules of the production spec that hold between its fields. */
function specFaults(spec: ProductionInput, template: UidTemplate): FieldError[] {
  const faults = specReferences(spec)
    .filter(([, attributeId]) => !template.attributeIds.includes(attributeId))
    .map(([reference, id]) => unknown(reference, `The template has no placeholder {${id}}.`));
  if (spec.sizeAttribute === undefined) {
    for (const [at, { size }] of (spec.printAreas ?? []).entries()) {
      if (size !== undefined) continue;
      const message = 'A print area needs a size of its own where the product model has no sizeAttribute.';
      faults.push({ code: 'MISSING_FIELD_ERROR', message, reference: `production.printAreas[${at}].size` });
    }
  }
  for (const [currency, breaks] of Object.entries(spec.priceList ?? {})) {
    if (new Set(breaks.map(({ from }) => from)).size < breaks.length) {
      const message = 'Two quantity breaks begin at the same quantity.';
      faults.push({ code: 'VALIDATION_ERROR', message, reference: `production.priceList.${currency}` });
    }
    if (
      spec.pages !== undefined &&
      spec.pagePrices !== undefined &&
      spec.pagePrices[currency] === undefined
    ) {
      const message = `Pages are priced in other currencies, but not in ${currency}.`;
      faults.push({ code: 'MISSING_FIELD_ERROR', message, reference: `production.pagePrices.${currency}` });
    }
  }
  return faults;
}

/**
 * The attributes of a product model as stored: those of the template, in its order, with the values on offer and the
 * default (an attribute's own default value, unless the operator names one).
 */
async function offeredAttributes(
  sql: Queryable,
  template: UidTemplate,
  given: readonly OfferedInput[] | undefined,
): Promise<ModelAttribute[]> {
  const rows = await sql<
    { id: string; values: Pick<AttributeValue, 'id' | 'isDefault' | 'isCustom'>[] | null }[]
  >`
    SELECT attributes.id, (
      SELECT jsonb_agg(jsonb_build_object('id', id, 'isDefault', is_default, 'isCustom', is_custom) ORDER BY position)
      FROM attribute_values WHERE attribute_id = attributes.id
    ) AS values
    FROM attributes WHERE id = ANY(${template.attributeIds as string[]})
    FOR SHARE`;
  const byId = new Map(rows.map(({ id, values }) => [id, values ?? []]));
  const errors = template.attributeIds
    .filter((id) => !byId.has(id))
    .map((id) => unknown('productUidTemplate', `There is no attribute "${id}".`));
  const inputs = new Map<string, OfferedInput>();
  for (const [at, input] of (given ?? []).entries()) {
    const path = `attributes[${at}]`;
    const values = byId.get(input.id);
    if (values === undefined) {
      errors.push(unknown(`${path}.id`, `The template has no placeholder for an attribute "${input.id}".`));
      continue;
    }
    if (inputs.has(input.id)) {
      errors.push({
        code: 'VALIDATION_ERROR',
        message: `"${input.id}" is given twice.`,
        reference: `${path}.id`,
      });
    }
    inputs.set(input.id, input);
    for (const [valueAt, valueId] of (input.valueIds ?? []).entries()) {
      if (!values.some(({ id }) => id === valueId)) {
        errors.push(
          unknown(`${path}.valueIds[${valueAt}]`, `Attribute "${input.id}" has no value "${valueId}".`),
        );
      }
    }
    const { defaultValueId } = input;
    if (defaultValueId != null) {
      const offered = values.some(
        ({ id, isCustom }) => id === defaultValueId && !isCustom && (input.valueIds?.includes(id) ?? true),
      );
      if (!offered) {
        errors.push(unknown(`${path}.defaultValueId`, `"${defaultValueId}" is not a value on offer.`));
      }
    }
  }
  if (errors.length > 0) throw refuse(errors);
  return template.attributeIds.map((attributeId) => {
    const input = inputs.get(attributeId);
    const valueIds = input?.valueIds ?? null;
    const usual = byId
      .get(attributeId)!
      .find(({ id, isDefault, isCustom }) => isDefault && !isCustom && (valueIds?.includes(id) ?? true));
    return { attributeId, valueIds, defaultValueId: input?.defaultValueId ?? usual?.id ?? null };
  });
}

/** Parts exist, are single products themselves, and have ids of their own. */
async function checkParts(sql: Queryable, modelId: string, parts: readonly ModelPart[]): Promise<void> {
  if (parts.length === 0) return;
  const rows = await sql<{ id: string; composed: boolean }[]>`
    SELECT id, jsonb_array_length(parts) > 0 AS composed FROM product_models
    WHERE id = ANY(${parts.map((part) => part.modelId)})`;
  const composed = new Map(rows.map((row) => [row.id, row.composed]));
  const errors = parts.flatMap((part, at): FieldError[] => {
    const path = `parts[${at}].modelId`;
    if (part.modelId === modelId || composed.get(part.modelId) === true) {
      return [{ code: 'VALIDATION_ERROR', message: 'A part cannot have parts itself.', reference: path }];
    }
    return composed.has(part.modelId) ? [] : [unknown(path, `There is no product model "${part.modelId}".`)];
  });
  const ids = new Set<string>();
  for (const [at, { id }] of parts.entries()) {
    if (ids.has(id)) {
      errors.push({
        code: 'VALIDATION_ERROR',
        message: `Part id "${id}" is used twice.`,
        reference: `parts[${at}].id`,
      });
    }
    ids.add(id);
  }
  if (errors.length > 0) throw refuse(errors);
}

async function listedModel(sql: Queryable, id: string): Promise<ListedModel> {
  const [model] = await listProductModels(sql, { modelIds: [id], offset: 0, limit: 1 });
  return model!;
}

const TAKEN: Readonly<Record<string, string>> = {
  product_models_pkey: 'id',
  product_models_product_uid_template_key: 'productUidTemplate',
};

/** Turns the clash of a unique id or template into a refusal that names the field. */
async function refuseTaken(work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const constraint = Object.keys(TAKEN).find((name) => violatesUnique(error, name));
    if (constraint === undefined) throw error;
    const message = 'Another product model has this.';
    throw new Refusal('CONFLICT', {
      errors: [{ code: 'VALIDATION_ERROR', message, reference: TAKEN[constraint]! }],
    });
  }
}

/**
 * Creates a product model, as a draft or active at once.
 * @param alongside writes in the same transaction what must stand or fall with the model
 * @throws Refusal `VALIDATION_ERROR` for a wrong template, unknown attributes, values or parts, with their paths;
 * `CONFLICT` for an id or template that is taken
 */
export async function createProductModel(
  sql: Sql,
  model: NewProductModel,
  alongside: (tx: Transaction, created: ListedModel) => Promise<void>,
): Promise<ListedModel> {
  const created = await inTransaction(sql, async (tx) => {
    const listed = await insertProductModel(tx, model);
    await bumpCatalogVersion(tx);
    await alongside(tx, listed);
    return listed;
  });
  catalogCache(sql).distrust();
  return created;
}

/** As createProductModel, in a transaction of the caller's, who bumps the catalog's version. */
export async function insertProductModel(tx: Queryable, model: NewProductModel): Promise<ListedModel> {
  const template = templateOf(model.productUidTemplate);
  const faults = specFaults(model.production, template);
  if (faults.length > 0) throw refuse(faults);
  const attributes = await offeredAttributes(tx, template, model.attributes);
  await checkParts(tx, model.id, model.parts);
  await refuseTaken(
    () => tx`
      INSERT INTO product_models (id, name, description, preview_url, category_id, product_uid_template, uid_prefix,
                                  state, attributes, parts, production)
      VALUES (${model.id}, ${model.name}, ${model.description}, ${model.previewUrl}, ${model.categoryId},
              ${model.productUidTemplate}, ${template.prefix}, ${model.state}, ${json(tx, attributes)},
              ${json(tx, model.parts)}, ${json(tx, model.production)})`,
  );
  return await listedModel(tx, model.id);
}

/**
 * Changes a product model; its state by MODEL_TRANSITIONS. Orders that are under way keep the product they were
 * placed with.
 * @throws Refusal `NOT_FOUND`; `CONFLICT` for a state that cannot follow, or for a template or parts of a model that
 * is no draft any more; `VALIDATION_ERROR` as on creation
 */
export async function updateProductModel(
  sql: Sql,
  id: string,
  change: ProductModelChange,
): Promise<ListedModel> {
  const updated = await inTransaction(sql, async (tx) => {
    const listed = await changeProductModel(tx, id, change);
    await bumpCatalogVersion(tx);
    return listed;
  });
  catalogCache(sql).distrust();
  return updated;
}

/** As updateProductModel, in a transaction of the caller's, who bumps the catalog's version. */
export async function changeProductModel(
  tx: Queryable,
  id: string,
  change: ProductModelChange,
): Promise<ListedModel> {
  const [locked] = await tx`SELECT 1 FROM product_models WHERE id = ${id} FOR UPDATE`;
  if (locked === undefined) throw new Refusal('NOT_FOUND', { message: 'There is no such product model.' });
  const before = await listedModel(tx, id);
  const state = change.state ?? before.state;
  if (state !== before.state && !MODEL_TRANSITIONS[before.state].includes(state)) {
    throw new Refusal('CONFLICT', { message: `A product model cannot go from ${before.state} to ${state}.` });
  }
  const fixed = (['productUidTemplate', 'parts'] as const).filter(
    (field) => change[field] !== undefined && !isDeepStrictEqual(change[field], before[field]),
  );
  if (before.state !== 'draft' && fixed.length > 0) {
    throw new Refusal('CONFLICT', {
      message: 'Template and parts can change only while the product model is a draft.',
      errors: fixed.map((reference) => ({
        code: 'VALIDATION_ERROR',
        message: 'Fixed since its release.',
        reference,
      })),
    });
  }
  const template = templateOf(change.productUidTemplate ?? before.productUidTemplate);
  const production = change.production ?? before.production;
  const faults = specFaults(production, template);
  if (faults.length > 0) throw refuse(faults);
  const kept = before.attributes
    .filter(({ attributeId }) => template.attributeIds.includes(attributeId))
    .map(({ attributeId, valueIds, defaultValueId }) => ({ id: attributeId, valueIds, defaultValueId }));
  const attributes = await offeredAttributes(tx, template, change.attributes ?? kept);
  const parts = change.parts ?? before.parts;
  if (change.parts !== undefined) await checkParts(tx, id, parts);
  await refuseTaken(
    () => tx`
      UPDATE product_models AS stored
      SET name = changed.name, description = changed.description, preview_url = changed.preview_url,
          category_id = changed.category_id, state = changed.state,
          product_uid_template = changed.product_uid_template, uid_prefix = changed.uid_prefix,
          attributes = changed.attributes, parts = changed.parts, production = changed.production,
          updated_at = now()
      FROM (VALUES (
        ${change.name ?? before.name}, ${change.description ?? before.description},
        ${change.previewUrl ?? before.previewUrl}, ${change.categoryId ?? before.categoryId}, ${state},
        ${template.text}, ${template.prefix},
        ${json(tx, attributes)}::jsonb, ${json(tx, parts)}::jsonb, ${json(tx, production)}::jsonb
      )) AS changed (name, description, preview_url, category_id, state, product_uid_template, uid_prefix,
                     attributes, parts, production)
      WHERE id = ${id}
        AND (stored.name, stored.description, stored.preview_url, stored.category_id, stored.state,
             stored.product_uid_template, stored.attributes, stored.parts, stored.production)
            IS DISTINCT FROM
            (changed.name, changed.description, changed.preview_url, changed.category_id, changed.state,
             changed.product_uid_template, changed.attributes, changed.parts, changed.production)`,
  );
  return await listedModel(tx, id);
}
