/** The attributes of one part, or of the product model itself, that a variant option selects. */
export interface AttributesMapping {
  readonly partModelId: string;
  readonly attributeIds: readonly string[];
}

/** The attribute values of one part that a variant value selects. */
export interface PartAttributeValues {
  readonly partModelId: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface VariantValue {
  readonly value: string;
  readonly attributeValues: readonly PartAttributeValues[];
  readonly isDefault: boolean;
}

export interface VariantOption {
  readonly id: string;
  readonly name: string;
  readonly attributesMapping: readonly AttributesMapping[];
  readonly state: string;
  readonly values: readonly VariantValue[];
}

export interface PartQuantity {
  readonly partModelId: string;
  readonly quantity: number;
}

/** The states of a customer product. Only published products can be ordered. */
export const CUSTOMER_PRODUCT_STATES = ['published', 'archived'] as const;
export type CustomerProductState = (typeof CUSTOMER_PRODUCT_STATES)[number];

export interface CustomerProduct {
  readonly id: string;
  readonly name: string;
  /** A client's customers, or the client accounts that may order an operator's product. */
  readonly customerIds: readonly string[];
  readonly productModelId: string;
  readonly variantOptions: readonly VariantOption[];
  readonly partQuantities: readonly PartQuantity[] | null;
  readonly state: CustomerProductState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The entry of customerIds that means every customer. */
export const ALL_CUSTOMERS = '*';

export type VariantChoice =
  | { readonly ok: true; readonly attributes: Readonly<Record<string, string>> }
  | {
      readonly ok: false;
      /** The key of the offending option in the productVariant of the order. */
      readonly option: string;
      readonly code: 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR' | 'VALIDATION_ERROR';
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
  const refuse = (
    option: string,
    code: 'MISSING_FIELD_ERROR' | 'NO_SUCH_CHOICE_ERROR' | 'VALIDATION_ERROR',
    message: string,
  ): VariantChoice => ({ ok: false, option, code, message });

  const given = new Map<VariantOption, string>();
  for (const [key, value] of Object.entries(productVariant)) {
    const option = options.find(({ name }) => name === key) ?? options.find(({ id }) => id === key);
    if (option === undefined) return refuse(key, 'NO_SUCH_CHOICE_ERROR', `the product has no option "${key}"`);
    if (given.has(option)) return refuse(key, 'VALIDATION_ERROR', `option "${option.name}" is given twice`);
    given.set(option, value);
  }

  const attributes: Record<string, string> = {};
  for (const option of options) {
    if (option.values.length === 0 && !given.has(option)) continue;
    const wanted = given.get(option);
    const chosen = option.values.find((entry) => (wanted === undefined ? entry.isDefault : entry.value === wanted));
    if (chosen === undefined) {
      return wanted === undefined
        ? refuse(option.name, 'MISSING_FIELD_ERROR', `option "${option.name}" has no default and needs a value`)
        : refuse(option.name, 'NO_SUCH_CHOICE_ERROR', `option "${option.name}" has no value "${wanted}"`);
    }
    for (const part of chosen.attributeValues) {
      for (const [attributeId, text] of Object.entries(part.attributes)) {
        if (attributes[attributeId] !== undefined && attributes[attributeId] !== text) {
          const message = `the chosen values give attribute ${attributeId} two values`;
          return refuse(option.name, 'VALIDATION_ERROR', message);
        }
        attributes[attributeId] = text;
      }
    }
  }
  return { ok: true, attributes };
}
