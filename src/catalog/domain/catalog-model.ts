import type { FieldErrorCode } from '../../platform/errors';
import type { Attribute, AttributeValue } from '../attributes';
import type { DescribedModel, ModelAttribute } from '../product-model-schemas';
import type { ProductionSpec } from './product-model';
import { isCustomInput, type UidTemplate } from './product-uid';

/** An attribute with the values that one product model offers. */
export interface OfferedAttribute {
  readonly attribute: Attribute;
  /** Ordinary values by id. */
  readonly values: ReadonlyMap<string, AttributeValue>;
  /** The value that accepts any input, or null. */
  readonly custom: AttributeValue | null;
  readonly defaultValueId: string | null;
}

/** A product model compiled for orders: with its parsed template, its attributes and the models of its parts. */
export interface CatalogModel {
  readonly model: Omit<DescribedModel, 'attributes' | 'production' | 'modelUids'> & {
    readonly attributes: readonly ModelAttribute[];
    readonly production: ProductionSpec;
  };
  readonly template: UidTemplate;
  readonly attributes: ReadonlyMap<string, OfferedAttribute>;
  /** Product models of the parts by id. */
  readonly parts: ReadonlyMap<string, CatalogModel>;
  /** When prices of the model or its parts change next, in milliseconds since 1970. The price list has those in force. */
  readonly pricesUntil: number;
}

/** A chosen value. `text` is the id of an ordinary value, or the input of a custom value. */
export interface ChosenValue {
  readonly text: string;
  readonly value: AttributeValue;
}

export type Choice =
  | { readonly ok: true; readonly values: ReadonlyMap<string, ChosenValue> }
  | {
      readonly ok: false;
      readonly attributeId: string;
      readonly code: FieldErrorCode;
      readonly message: string;
    };

/** Returns why the text violates the numeric limits of a custom value, or undefined when it does not. */
function outsideLimits(text: string, { properties }: AttributeValue): string | undefined {
  const limit = (name: string) => (properties[name] === undefined ? undefined : Number(properties[name]));
  const [min, max, multipleOf] = [limit('min'), limit('max'), limit('multipleOf')];
  if (min === undefined && max === undefined && multipleOf === undefined) return undefined;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) return 'is not a whole number';
  if (min !== undefined && number < min) return `is less than ${min}`;
  if (max !== undefined && number > max) return `is more than ${max}`;
  if (multipleOf !== undefined && number % multipleOf !== 0) return `is not a multiple of ${multipleOf}`;
  return undefined;
}

/** Returns the value of an attribute for a text: an ordinary value by id, else custom input. Returns a message if neither fits. */
export function chooseValue(offered: OfferedAttribute, text: string): ChosenValue | string {
  const { values, custom, attribute } = offered;
  const ordinary = values.get(text);
  if (ordinary !== undefined) return { text, value: ordinary };
  if (custom === null || !isCustomInput(text)) return `"${text}" is not a value of attribute ${attribute.id}`;
  const fault = outsideLimits(text, custom);
  return fault === undefined ? { text, value: custom } : `"${text}" of attribute ${attribute.id} ${fault}`;
}

/**
 * Returns a value for every attribute of a product model: the chosen text, else the default value, else the only value.
 * Also reads the texts for attributes that only a part has.
 */
export function chooseValues({ attributes, parts }: CatalogModel, chosen: Readonly<Record<string, string>>): Choice {
  const ofParts = [...parts.values()]
    .flatMap((part) => [...part.attributes])
    .filter(([attributeId]) => Object.hasOwn(chosen, attributeId));
  const values = new Map<string, ChosenValue>();
  for (const [attributeId, offered] of [...attributes, ...ofParts]) {
    if (values.has(attributeId)) continue;
    const only = offered.custom === null && offered.values.size === 1 ? [...offered.values.keys()][0] : undefined;
    const text = chosen[attributeId] ?? offered.defaultValueId ?? only;
    if (text === undefined) {
      const message = `attribute ${attributeId} has no default and needs a value`;
      return { ok: false, attributeId, code: 'MISSING_FIELD_ERROR', message };
    }
    const value = chooseValue(offered, text);
    if (typeof value === 'string') {
      return { ok: false, attributeId, code: 'NO_SUCH_CHOICE_ERROR', message: value };
    }
    values.set(attributeId, value);
  }
  return { ok: true, values };
}
