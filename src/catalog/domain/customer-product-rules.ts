import type { z } from 'zod';
import { repeatsOf } from '../../platform/domain/fields';
import type { FieldError, FieldErrorCode } from '../../platform/errors';
import type {
  AttributesMapping,
  newCustomerProduct,
  PartAttributeValues,
  PartQuantity,
  VariantOption,
  variantValues,
} from '../customer-product-schemas';
import { type CatalogModel, chooseValue, type OfferedAttribute } from './catalog-model';
import { unmakeable } from './product';

/** Most values of one variant option. */
const MAX_VALUES_PER_OPTION = 1_000;

const fault = (reference: string, code: FieldErrorCode, message: string): FieldError => ({ code, message, reference });

/**
 * Returns the attributes that a partModelId refers to: those of the product model itself or of one of its parts (by the
 * id of the part's model, or by the part's id). Undefined when it refers to neither.
 */
function attributesOf(
  catalogModel: CatalogModel,
  partModelId: string,
): ReadonlyMap<string, OfferedAttribute> | undefined {
  if (partModelId === catalogModel.model.id) return catalogModel.attributes;
  const part = catalogModel.model.parts.find(({ id, modelId }) => id === partModelId || modelId === partModelId);
  return part === undefined ? undefined : catalogModel.parts.get(part.modelId)?.attributes;
}

/** Returns an attribute as the product offers it: with the values that the product model selects, else those of the part. */
function offeredBy(
  catalogModel: CatalogModel,
  part: ReadonlyMap<string, OfferedAttribute>,
  attributeId: string,
): OfferedAttribute | undefined {
  return part.has(attributeId) ? (catalogModel.attributes.get(attributeId) ?? part.get(attributeId)) : undefined;
}

/** Checks the attributes that an option maps. `mapped` has the attributes that earlier options map. */
function mappingFaults(
  path: string,
  mappings: readonly AttributesMapping[],
  catalogModel: CatalogModel,
  mapped: Set<string>,
): FieldError[] {
  const faults: FieldError[] = [];
  for (const [at, { partModelId, attributeIds }] of mappings.entries()) {
    const mappingPath = `${path}.attributesMapping[${at}]`;
    const attributes = attributesOf(catalogModel, partModelId);
    if (attributes === undefined) {
      const message = `Product model ${catalogModel.model.id} has no part "${partModelId}".`;
      faults.push(fault(`${mappingPath}.partModelId`, 'NO_SUCH_CHOICE_ERROR', message));
      continue;
    }
    for (const [attributeAt, attributeId] of attributeIds.entries()) {
      const attributePath = `${mappingPath}.attributeIds[${attributeAt}]`;
      const key = `${partModelId}\n${attributeId}`;
      if (!attributes.has(attributeId)) {
        const message = `"${partModelId}" has no attribute "${attributeId}".`;
        faults.push(fault(attributePath, 'NO_SUCH_CHOICE_ERROR', message));
      } else if (mapped.has(key)) {
        faults.push(fault(attributePath, 'VALIDATION_ERROR', `Attribute "${attributeId}" is mapped twice.`));
      }
      mapped.add(key);
    }
  }
  return faults;
}

/** Returns a fault at each part whose quantity of 0 leaves a product that no print order can make. */
function missingPartFaults(quantities: readonly PartQuantity[], catalogModel: CatalogModel): FieldError[] {
  const { model, parts: partModels } = catalogModel;
  const { kind, printAreas } = model.production;
  const faultWith = (given: readonly PartQuantity[]) => {
    const quantityOf = (ids: readonly string[]) => given.find(({ partModelId }) => ids.includes(partModelId))?.quantity;
    const parts = model.parts.flatMap(({ id, modelId, quantity }) => {
      const spec = partModels.get(modelId)?.model.production;
      if (spec === undefined || (quantityOf([id]) ?? quantityOf([modelId]) ?? quantity) === 0) return [];
      return [{ type: spec.partType, partnerSku: spec.partnerSku ?? null }];
    });
    return unmakeable({ kind, isPrinted: printAreas.length > 0 }, parts);
  };
  const message = faultWith(quantities);
  if (message === undefined) return [];
  const omitted = quantities.flatMap(({ quantity }, at) => (quantity === 0 ? [at] : []));
  const causes = omitted.filter((at) => faultWith(quantities.filter((_, index) => index !== at)) !== message);
  return (causes.length > 0 ? causes : omitted).map((at) =>
    fault(`partQuantities[${at}].quantity`, 'VALIDATION_ERROR', `Without this part the product ${message}.`),
  );
}

function partQuantityFaults(quantities: readonly PartQuantity[], catalogModel: CatalogModel): FieldError[] {
  const { model } = catalogModel;
  const path = (at: number) => `partQuantities[${at}].partModelId`;
  const faults = quantities.flatMap(({ partModelId }, at) => {
    if (model.parts.some(({ id, modelId }) => id === partModelId || modelId === partModelId)) return [];
    const message = `Product model ${model.id} has no part "${partModelId}".`;
    return [fault(path(at), 'NO_SUCH_CHOICE_ERROR', message)];
  });
  const repeats = repeatsOf(quantities.map(({ partModelId }) => partModelId)).map((at) =>
    fault(path(at), 'VALIDATION_ERROR', `Part "${quantities[at]!.partModelId}" is listed twice.`),
  );
  return [...faults, ...repeats, ...missingPartFaults(quantities, catalogModel)];
}

/**
 * Checks a new customer product against its product model (schema `CustomerProduct`): option ids and names are unique;
 * mapped parts and attributes exist; no attribute is mapped twice; part quantities refer to parts, each at most once, and
 * leave a product that can be made.
 * @returns every offending field, by path
 */
export function customerProductFaults(
  draft: Pick<z.output<typeof newCustomerProduct>, 'variantOptions' | 'partQuantities'>,
  catalogModel: CatalogModel,
): FieldError[] {
  const { variantOptions, partQuantities = [] } = draft;
  const mapped = new Set<string>();
  const repeats = {
    id: repeatsOf(variantOptions.map(({ id }) => id)),
    name: repeatsOf(variantOptions.map(({ name }) => name)),
  };
  const faults = variantOptions.flatMap((option, at) => [
    ...(['id', 'name'] as const)
      .filter((field) => repeats[field].includes(at))
      .map((field) => {
        const message = `Option ${field} "${option[field]}" is used twice.`;
        return fault(`variantOptions[${at}].${field}`, 'VALIDATION_ERROR', message);
      }),
    ...mappingFaults(`variantOptions[${at}]`, option.attributesMapping, catalogModel, mapped),
  ]);
  return [...faults, ...partQuantityFaults(partQuantities, catalogModel)];
}

/** Checks the attributes of one variant value: the option maps the parts and attributes, and the product offers the values. */
function attributeFaults(
  path: string,
  attributeValues: readonly PartAttributeValues[],
  option: Pick<VariantOption, 'id' | 'attributesMapping'>,
  catalogModel: CatalogModel,
): FieldError[] {
  const faults: FieldError[] = [];
  if (attributeValues.every(({ attributes }) => Object.keys(attributes).length === 0)) {
    const message = `A value selects at least one attribute that option "${option.id}" maps.`;
    faults.push(fault(`${path}.attributeValues`, 'VALIDATION_ERROR', message));
  }
  const texts = new Map<string, string>();
  for (const [at, { partModelId, attributes }] of attributeValues.entries()) {
    const partPath = `${path}.attributeValues[${at}]`;
    const mapping = option.attributesMapping.filter((entry) => entry.partModelId === partModelId);
    const part = attributesOf(catalogModel, partModelId);
    if (mapping.length === 0 || part === undefined) {
      const message = `Option "${option.id}" maps no attribute of part "${partModelId}".`;
      faults.push(fault(`${partPath}.partModelId`, 'NO_SUCH_CHOICE_ERROR', message));
      continue;
    }
    for (const [attributeId, text] of Object.entries(attributes)) {
      const attributePath = `${partPath}.attributes.${attributeId}`;
      const offered = offeredBy(catalogModel, part, attributeId);
      if (offered === undefined || !mapping.some(({ attributeIds }) => attributeIds.includes(attributeId))) {
        const message = `Option "${option.id}" does not map attribute "${attributeId}" of part "${partModelId}".`;
        faults.push(fault(attributePath, 'NO_SUCH_CHOICE_ERROR', message));
        continue;
      }
      const chosen = chooseValue(offered, text);
      if (typeof chosen === 'string') faults.push(fault(attributePath, 'NO_SUCH_CHOICE_ERROR', `${chosen}.`));
      const other = texts.get(attributeId);
      if (other !== undefined && other !== text) {
        const message = `Parts share attribute "${attributeId}"; it cannot be both "${other}" and "${text}".`;
        faults.push(fault(attributePath, 'VALIDATION_ERROR', message));
      }
      texts.set(attributeId, text);
    }
  }
  return faults;
}

/**
 * Checks variant values: the options exist, values are unique within their option, an option has at most one default,
 * the option maps the attributes, and the product offers the attribute values.
 * @returns errors of the request (`faults`), and clashes with existing values (`conflicts`)
 */
export function variantValueFaults(
  added: z.output<typeof variantValues>,
  options: readonly VariantOption[],
  catalogModel: CatalogModel,
): { readonly faults: FieldError[]; readonly conflicts: FieldError[] } {
  const faults: FieldError[] = [];
  const conflicts: FieldError[] = [];
  const seen = new Map<string, { readonly values: Set<string>; hasDefault: boolean }>();
  for (const [at, { variantOptionId, values }] of added.entries()) {
    const option = options.find(({ id }) => id === variantOptionId);
    if (option === undefined) {
      const message = `The customer product has no variant option "${variantOptionId}".`;
      faults.push(fault(`[${at}].variantOptionId`, 'NO_SUCH_CHOICE_ERROR', message));
      continue;
    }
    const inRequest = seen.get(variantOptionId) ?? { values: new Set<string>(), hasDefault: false };
    seen.set(variantOptionId, inRequest);
    for (const [valueAt, { value, attributeValues, isDefault }] of values.entries()) {
      const path = `[${at}].values[${valueAt}]`;
      if (inRequest.values.has(value)) {
        faults.push(fault(`${path}.value`, 'VALIDATION_ERROR', `Value "${value}" is listed twice.`));
      } else if (option.values.some((entry) => entry.value === value)) {
        const message = `Option "${option.id}" already has a value "${value}".`;
        conflicts.push(fault(`${path}.value`, 'VALIDATION_ERROR', message));
      }
      inRequest.values.add(value);
      if (isDefault && inRequest.hasDefault) {
        const message = `Option "${option.id}" can have only one default value.`;
        faults.push(fault(`${path}.isDefault`, 'VALIDATION_ERROR', message));
      } else if (isDefault && option.values.some((entry) => entry.isDefault)) {
        const message = `Option "${option.id}" already has a default value.`;
        conflicts.push(fault(`${path}.isDefault`, 'VALIDATION_ERROR', message));
      }
      inRequest.hasDefault ||= isDefault;
      faults.push(...attributeFaults(path, attributeValues, option, catalogModel));
    }
    if (option.values.length + inRequest.values.size > MAX_VALUES_PER_OPTION) {
      const message = `Option "${option.id}" can have at most ${MAX_VALUES_PER_OPTION} values.`;
      faults.push(fault(`[${at}].values`, 'VALIDATION_ERROR', message));
    }
  }
  return { faults, conflicts };
}
