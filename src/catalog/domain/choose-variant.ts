import type { FieldErrorCode } from '../../platform/errors';
import type { VariantOption } from '../customer-product-schemas';

export type VariantChoice =
  | { readonly ok: true; readonly attributes: Readonly<Record<string, string>> }
  | {
      readonly ok: false;
      /** The key of the offending option in the productVariant of the order. */
      readonly option: string;
      readonly code: FieldErrorCode;
      readonly message: string;
    };

/**
 * Returns the attribute values that a productVariant selects (option name or id, to value). An omitted option has its
 * default value. An option without values selects nothing.
 */
export function chooseVariant(
  options: readonly VariantOption[],
  productVariant: Readonly<Record<string, string>>,
): VariantChoice {
  const refuse = (option: string, code: FieldErrorCode, message: string): VariantChoice => ({
    ok: false,
    option,
    code,
    message,
  });

  const given = new Map<VariantOption, { readonly key: string; readonly value: string }>();
  for (const [key, value] of Object.entries(productVariant)) {
    const option = options.find(({ name }) => name === key) ?? options.find(({ id }) => id === key);
    if (option === undefined) {
      const message = `the product has no option "${key}"${choicesText(options.map(({ name }) => name))}`;
      return refuse(key, 'NO_SUCH_CHOICE_ERROR', message);
    }
    if (given.has(option)) return refuse(key, 'VALIDATION_ERROR', `option "${option.name}" is given twice`);
    given.set(option, { key, value });
  }

  const attributes: Record<string, string> = {};
  for (const option of options) {
    if (option.values.length === 0 && !given.has(option)) continue;
    const { key, value: wanted } = given.get(option) ?? { key: option.name, value: undefined };
    const chosen = option.values.find((entry) => (wanted === undefined ? entry.isDefault : entry.value === wanted));
    if (chosen === undefined) {
      const values = choicesText(option.values.map(({ value }) => value));
      return wanted === undefined
        ? refuse(key, 'MISSING_FIELD_ERROR', `option "${option.name}" has no default and needs a value${values}`)
        : refuse(key, 'NO_SUCH_CHOICE_ERROR', `option "${option.name}" has no value "${wanted}"${values}`);
    }
    for (const part of chosen.attributeValues) {
      for (const [attributeId, text] of Object.entries(part.attributes)) {
        if (attributes[attributeId] !== undefined && attributes[attributeId] !== text) {
          const message = `the chosen values give attribute ${attributeId} two values`;
          return refuse(key, 'VALIDATION_ERROR', message);
        }
        attributes[attributeId] = text;
      }
    }
  }
  return { ok: true, attributes };
}

/** Most choices that a message lists. */
const MOST_LISTED = 20;

/** Returns choices as the end of a message: `: a3, a4`, at most 20 of them; empty when there are none. */
export function choicesText(choices: readonly string[]): string {
  if (choices.length === 0) return '';
  return `: ${choices.slice(0, MOST_LISTED).join(', ')}${choices.length > MOST_LISTED ? ', …' : ''}`;
}
