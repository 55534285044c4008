import { repeatsOf } from '../../platform/domain/fields';
import type { FieldError } from '../../platform/errors';
import type { AttributeValue } from '../attributes';
import type { ModelAttribute, ModelPart } from '../product-model-schemas';
import { unmakeable } from './product';
import { type ProductionInput, startOf } from './product-model';
import type { UidTemplate } from './product-uid';

/** The fields of an attribute value that the rules read. */
export type ValueSummary = Pick<AttributeValue, 'id' | 'isDefault' | 'isCustom'>;

const invalid = (reference: string, message: string): FieldError => ({ code: 'VALIDATION_ERROR', message, reference });
const unknown = (reference: string, message: string): FieldError => ({
  code: 'NO_SUCH_CHOICE_ERROR',
  message,
  reference,
});

/** Returns every attribute that the production spec reads, with the path of the field that names it. */
function specReferences(spec: ProductionInput): [reference: string, attributeId: string][] {
  const references: [string, string | undefined][] = [
    ['production.sizeAttribute', spec.sizeAttribute],
    ['production.orientationAttribute', spec.orientationAttribute],
    ['production.paperAttribute', spec.paperAttribute],
    ['production.pages.attributeId', spec.pages?.attributeId],
    ...(spec.printAreas ?? []).map(({ when }, at): [string, string | undefined] => [
      `production.printAreas[${at}].when.attributeId`,
      when?.attributeId,
    ]),
    ...(['priceFactors', 'addedGrams'] as const).flatMap((field) =>
      Object.keys(spec[field] ?? {}).map((id): [string, string] => [`production.${field}.${id}`, id]),
    ),
  ];
  return references.filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/**
 * Checks the rules between the fields of a production spec: its attributes are in the template, print areas have a
 * size, quantity breaks with the same start differ, and pages are priced in every currency of the price list.
 * @returns every offending field, by path
 */
export function specFaults(spec: ProductionInput, template: UidTemplate): FieldError[] {
  const faults = specReferences(spec)
    .filter(([, attributeId]) => !template.attributeIds.includes(attributeId))
    .map(([reference, id]) => unknown(reference, `The template has no placeholder {${id}}.`));
  if (spec.sizeAttribute === undefined) {
    for (const [at, { size }] of (spec.printAreas ?? []).entries()) {
      if (size !== undefined) continue;
      const message = 'A print area needs a size when the product model has no sizeAttribute.';
      faults.push({ code: 'MISSING_FIELD_ERROR', message, reference: `production.printAreas[${at}].size` });
    }
  }
  for (const [currency, breaks] of Object.entries(spec.priceList ?? {})) {
    if (new Set(breaks.map((each) => `${each.from} ${startOf(each)}`)).size < breaks.length) {
      faults.push(invalid(`production.priceList.${currency}`, 'Two quantity breaks begin at the same quantity.'));
    }
    if (spec.pages !== undefined && spec.pagePrices !== undefined && spec.pagePrices[currency] === undefined) {
      const message = `Pages have prices in other currencies, but not in ${currency}.`;
      faults.push({ code: 'MISSING_FIELD_ERROR', message, reference: `production.pagePrices.${currency}` });
    }
  }
  return faults;
}

function offerFaults(path: string, { id, valueIds, defaultValueId }: ModelAttribute, values: readonly ValueSummary[]) {
  const faults: FieldError[] = [];
  for (const [at, valueId] of (valueIds ?? []).entries()) {
    if (!values.some((value) => value.id === valueId)) {
      faults.push(unknown(`${path}.valueIds[${at}]`, `Attribute "${id}" has no value "${valueId}".`));
    }
  }
  if (defaultValueId !== null) {
    const offered = values.some(
      (value) => value.id === defaultValueId && !value.isCustom && (valueIds?.includes(value.id) ?? true),
    );
    if (!offered) faults.push(unknown(`${path}.defaultValueId`, `"${defaultValueId}" is not an offered value.`));
  }
  return faults;
}

/**
 * Checks the attributes of a product model against its template and the attributes that exist.
 * @param valuesById the values of each existing attribute of the template
 * @returns every offending field, by path
 */
export function attributeFaults(
  template: UidTemplate,
  given: readonly ModelAttribute[],
  valuesById: ReadonlyMap<string, readonly ValueSummary[]>,
): FieldError[] {
  const faults = template.attributeIds
    .filter((id) => !valuesById.has(id))
    .map((id) => unknown('productUidTemplate', `There is no attribute "${id}".`));
  const offers = given.flatMap((input, at) => {
    const path = `attributes[${at}]`;
    const values = valuesById.get(input.id);
    return values === undefined
      ? [unknown(`${path}.id`, `The template has no placeholder for attribute "${input.id}".`)]
      : offerFaults(path, input, values);
  });
  const repeats = repeatsOf(given.map(({ id }) => id)).map((at) =>
    invalid(`attributes[${at}].id`, `Attribute "${given[at]!.id}" is listed twice.`),
  );
  return [...faults, ...offers, ...repeats];
}

/**
 * Returns the attributes of a product model as stored, in the order of the template. The default value is the one
 * given, else the attribute's own default value if the product model offers it.
 */
export function offeredAttributes(
  template: UidTemplate,
  given: readonly ModelAttribute[],
  valuesById: ReadonlyMap<string, readonly ValueSummary[]>,
): ModelAttribute[] {
  const inputs = new Map(given.map((input) => [input.id, input]));
  return template.attributeIds.map((id) => {
    const input = inputs.get(id);
    const valueIds = input?.valueIds ?? null;
    const usual = valuesById
      .get(id)!
      .find((value) => value.isDefault && !value.isCustom && (valueIds?.includes(value.id) ?? true));
    return { id, valueIds, defaultValueId: input?.defaultValueId ?? usual?.id ?? null };
  });
}

/**
 * Checks the parts of a product model: each part's model exists and has no parts, and part ids are unique.
 * @param composed whether each existing product model has parts, by id
 * @returns every offending field, by path
 */
export function partFaults(
  modelId: string,
  parts: readonly ModelPart[],
  composed: ReadonlyMap<string, boolean>,
): FieldError[] {
  const faults = parts.flatMap((part, at): FieldError[] => {
    const path = `parts[${at}].modelId`;
    if (part.modelId === modelId || composed.get(part.modelId) === true) {
      return [invalid(path, 'A part cannot have parts.')];
    }
    return composed.has(part.modelId) ? [] : [unknown(path, `There is no product model "${part.modelId}".`)];
  });
  const repeats = repeatsOf(parts.map(({ id }) => id)).map((at) =>
    invalid(`parts[${at}].id`, `Part id "${parts[at]!.id}" is used twice.`),
  );
  return [...faults, ...repeats];
}

/**
 * Checks that an active product model with parts can be made in their quantities: a garment has its blank, a mounted
 * product a part to print on.
 * @param partSpecs of the parts' models, by id
 */
export function quantityFaults(
  { kind = 'print', printAreas = [] }: ProductionInput,
  parts: readonly ModelPart[],
  partSpecs: ReadonlyMap<string, ProductionInput>,
): FieldError[] {
  if (parts.length === 0) return [];
  const used = parts.flatMap(({ modelId, quantity }) => {
    const { partType: type = 'print', partnerSku = null } = partSpecs.get(modelId) ?? {};
    return quantity === 0 ? [] : [{ type, partnerSku }];
  });
  const message = unmakeable({ kind, isPrinted: printAreas.length > 0 }, used);
  return message === undefined ? [] : [invalid('parts', `With these quantities the product ${message}.`)];
}
