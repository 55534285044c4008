import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { type FieldError, Refusal } from '../platform/errors';
import { json, type Queryable, type Sql, type Statement, violatesUnique } from '../platform/postgres';
import { MODEL_TRANSITIONS, type ModelState, type ProductionInput } from './domain/product-model';
import {
  attributeFaults,
  offeredAttributes,
  partFaults,
  quantityFaults,
  specFaults,
  type ValueSummary,
} from './domain/product-model-rules';
import { parseTemplate, type UidTemplate } from './domain/product-uid';
import type {
  DescribedModel,
  ModelAttribute,
  newProductModel,
  productModelChange,
  productModelQuery,
} from './product-model-schemas';

type NewProductModel = Omit<z.output<typeof newProductModel>, 'id'> & { readonly id: string };
type ProductModelChange = z.output<typeof productModelChange>;

/** Returns a page of product models filtered by id and state, ordered by id, and the total of all pages. */
export async function listProductModels(
  sql: Sql,
  {
    modelIds,
    states,
    offset,
    limit,
  }: Omit<z.output<typeof productModelQuery>, 'state'> & {
    readonly states?: readonly ModelState[];
  },
): Promise<{ readonly models: DescribedModel[]; readonly total: number }> {
  const matching = sql`
    true
    ${modelIds === undefined ? sql`` : sql`AND id = ANY(${modelIds as string[]})`}
    ${states === undefined ? sql`` : sql`AND state = ANY(${states as string[]})`}`;
  const [models, [count]] = await Promise.all([
    readModels(sql, sql`${matching} ORDER BY id OFFSET ${offset} LIMIT ${limit}`),
    sql<{ total: number }[]>`SELECT count(*)::int AS total FROM product_models WHERE ${matching}`,
  ]);
  return { models, total: count!.total };
}

/** Returns a product model, or undefined when it does not exist. */
export async function readProductModel(sql: Queryable, id: string): Promise<DescribedModel | undefined> {
  return (await readModels(sql, sql`id = ${id}`))[0];
}

/** Returns those of the uids by which routing knows no product model. */
export async function unknownModelUids(sql: Queryable, uids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    SELECT uid FROM unnest(${uids as string[]}::text[]) AS uid
    WHERE uid NOT IN (SELECT coalesce(production ->> 'modelUid', id) FROM product_models)`;
  return rows.map(({ uid }) => uid);
}

/** @param which condition on product_models, and the page */
async function readModels(sql: Queryable, which: Statement): Promise<DescribedModel[]> {
  return await sql<DescribedModel[]>`
    SELECT model.id, model.name, model.description, preview_url AS "previewURL", category_id, product_uid_template, state, parts,
           production, described.attributes,
           coalesce(production ->> 'modelUid', model.id) || ARRAY(
             SELECT coalesce(made.production ->> 'modelUid', made.id) FROM jsonb_array_elements(parts) AS part
             JOIN product_models made ON made.id = part ->> 'modelId'
             WHERE made.production ->> 'partType' IS DISTINCT FROM 'stock') AS model_uids
    FROM (SELECT * FROM product_models WHERE ${which}) AS model
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(entry.value || jsonb_build_object(
               'description', attributes.description, 'properties', attributes.properties, 'values', (
                 SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'description', description, 'isCustom', is_custom,
                                                              'properties', properties) ORDER BY position), '[]')
                 FROM attribute_values
                 WHERE attribute_id = attributes.id
                   AND (entry.value -> 'valueIds' = 'null' OR entry.value -> 'valueIds' ? attribute_values.id)))
               ORDER BY entry.ordinality), '[]') AS attributes
      FROM jsonb_array_elements(model.attributes) WITH ORDINALITY AS entry
      JOIN attributes ON attributes.id = entry.value ->> 'id'
    ) AS described
    ORDER BY model.id`;
}

function refuseFaults(errors: FieldError[]): void {
  if (errors.length > 0) throw new Refusal('VALIDATION_ERROR', { errors });
}

/** @throws Refusal `VALIDATION_ERROR` for a text that is not a template */
function templateOf(text: string): UidTemplate {
  const parsed = parseTemplate(text);
  if (parsed.ok) return parsed.template;
  throw new Refusal('VALIDATION_ERROR', {
    errors: [
      {
        code: 'VALIDATION_ERROR',
        message: `The template ${parsed.message}.`,
        reference: 'productUidTemplate',
      },
    ],
  });
}

/** Checks the attributes of a product model and returns them as stored. Locks them against changes until the commit. */
async function checkAttributes(
  sql: Queryable,
  template: UidTemplate,
  given: readonly ModelAttribute[] = [],
): Promise<ModelAttribute[]> {
  const rows = await sql<{ id: string; values: ValueSummary[] | null }[]>`
    SELECT attributes.id, (
      SELECT jsonb_agg(jsonb_build_object('id', id, 'isDefault', is_default, 'isCustom', is_custom) ORDER BY position)
      FROM attribute_values WHERE attribute_id = attributes.id
    ) AS values
    FROM attributes WHERE id = ANY(${template.attributeIds as string[]})
    FOR SHARE`;
  const valuesById = new Map(rows.map(({ id, values }) => [id, values ?? []]));
  refuseFaults(attributeFaults(template, given, valuesById));
  return offeredAttributes(template, given, valuesById);
}

async function checkParts(
  sql: Queryable,
  { id: modelId, parts, production, state }: Pick<DescribedModel, 'id' | 'parts' | 'production' | 'state'>,
): Promise<void> {
  if (parts.length === 0) return;
  const rows = await sql<{ id: string; composed: boolean; production: ProductionInput }[]>`
    SELECT id, jsonb_array_length(parts) > 0 AS composed, production FROM product_models
    WHERE id = ANY(${parts.map((part) => part.modelId)})`;
  refuseFaults(partFaults(modelId, parts, new Map(rows.map((row) => [row.id, row.composed]))));
  if (state !== 'active') return;
  refuseFaults(quantityFaults(production, parts, new Map(rows.map((row) => [row.id, row.production]))));
}

const TAKEN: Readonly<Record<string, string>> = {
  product_models_pkey: 'id',
  product_models_product_uid_template_key: 'productUidTemplate',
};

/** Turns a unique violation of the id or the template into a `CONFLICT` that names the field. */
async function refuseTaken(work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const constraint = Object.keys(TAKEN).find((name) => violatesUnique(error, name));
    if (constraint === undefined) throw error;
    const message = 'Another product model already uses this value.';
    throw new Refusal('CONFLICT', {
      errors: [{ code: 'VALIDATION_ERROR', message, reference: TAKEN[constraint]! }],
    });
  }
}

/**
 * Creates a product model, either as a draft or as active. Call it in `changeCatalog`.
 * @throws Refusal `VALIDATION_ERROR` for an invalid template and for unknown attributes, values or parts, by path;
 * `CONFLICT` for an id or template that is already in use
 */
export async function createProductModel(tx: Queryable, model: NewProductModel): Promise<DescribedModel> {
  const template = templateOf(model.productUidTemplate);
  refuseFaults(specFaults(model.production, template));
  const attributes = await checkAttributes(tx, template, model.attributes);
  await checkParts(tx, model);
  await refuseTaken(
    () => tx`
      INSERT INTO product_models (id, name, description, preview_url, category_id, product_uid_template, uid_prefix,
                                  state, attributes, parts, production)
      VALUES (${model.id}, ${model.name}, ${model.description}, ${model.previewURL}, ${model.categoryId},
              ${model.productUidTemplate}, ${template.prefix}, ${model.state}, ${json(tx, attributes)},
              ${json(tx, model.parts)}, ${json(tx, model.production)})`,
  );
  return (await readProductModel(tx, model.id))!;
}

/** @throws Refusal `CONFLICT` for a state transition that is not listed, or a field that is fixed after the draft state */
function refuseConflicts(before: DescribedModel, change: ProductModelChange): void {
  const { state = before.state } = change;
  if (state !== before.state && !MODEL_TRANSITIONS[before.state].includes(state)) {
    throw new Refusal('CONFLICT', {
      message: `A product model cannot change from ${before.state} to ${state}.`,
    });
  }
  if (before.state === 'draft') return;
  const fixed = (['productUidTemplate', 'parts'] as const).filter(
    (field) => change[field] !== undefined && !isDeepStrictEqual(change[field], before[field]),
  );
  if (fixed.length === 0) return;
  throw new Refusal('CONFLICT', {
    message: 'Template and parts can change only while the product model is a draft.',
    errors: fixed.map((reference) => ({
      code: 'VALIDATION_ERROR',
      message: 'Cannot change after the draft state.',
      reference,
    })),
  });
}

/**
 * Changes a product model. The state changes along MODEL_TRANSITIONS. Existing orders keep the product they were
 * placed with. Call it in `changeCatalog`.
 * @throws Refusal `NOT_FOUND`; `CONFLICT` for a state transition that is not listed, and for a change of template or
 * parts after the draft state; `VALIDATION_ERROR` as in createProductModel
 */
export async function changeProductModel(
  tx: Queryable,
  id: string,
  change: ProductModelChange,
): Promise<{ readonly before: DescribedModel; readonly after: DescribedModel }> {
  const [locked] = await tx`SELECT 1 FROM product_models WHERE id = ${id} FOR UPDATE`;
  if (locked === undefined) throw new Refusal('NOT_FOUND', { message: 'The product model does not exist.' });
  const before = (await readProductModel(tx, id))!;
  const state = change.state ?? before.state;
  refuseConflicts(before, change);
  const template = templateOf(change.productUidTemplate ?? before.productUidTemplate);
  const production = change.production ?? before.production;
  refuseFaults(specFaults(production, template));
  const kept = before.attributes.filter(({ id }) => template.attributeIds.includes(id));
  const attributes = await checkAttributes(tx, template, change.attributes ?? kept);
  const parts = change.parts ?? before.parts;
  await checkParts(tx, { id, parts, production, state });
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
        ${change.previewURL ?? before.previewURL}, ${change.categoryId ?? before.categoryId}, ${state},
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
  return { before, after: (await readProductModel(tx, id))! };
}
