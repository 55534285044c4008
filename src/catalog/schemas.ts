import { z } from 'zod';
import { ALL_CUSTOMERS } from './domain/customer-product';
import { MODEL_STATES, productionSpec } from './domain/product-model';

/** Text that is not blank. */
export const text = (max: number) => z.string().regex(/\S/).max(max);
const id = text(100);
const timestamp = z.iso.datetime();

/** Attribute and attribute value ids (interface "AttributeValue"). */
export const attributeId = z
  .string()
  .max(100)
  .regex(/^[a-z0-9_.-]+$/, 'Only lowercase letters, digits, underscore, period and hyphen');

/** A comma-separated query parameter; blank entries are passed over, and an empty one filters nothing. */
export const commaSeparated = z
  .string()
  .max(12_000)
  .transform((list) =>
    [...new Set(list.split(',').map((entry) => entry.trim()))].filter((entry) => entry !== ''),
  )
  .transform((entries) => (entries.length === 0 ? undefined : entries));

/** A whole number in a query, within limits. */
export const queryInteger = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'Expected a whole number')
    .transform(Number)
    .pipe(z.number().int().min(min).max(max))
    .default(fallback);

/* Customer products ------------------------------------------------------------------------------------- */

const attributesMapping = z.object({
  partModelId: id.describe('A part of the product model, or the product model itself'),
  attributeIds: z.array(id).max(50),
});

const variantOption = z.object({
  id: id.describe('Unique within the customer product'),
  name: text(100).describe('What orders call the option in productVariant'),
  attributesMapping: z.array(attributesMapping).max(50),
});

const partQuantity = z.object({ partModelId: id, quantity: z.number().int().min(0).max(10_000) });

const customerIds = z
  .array(text(100))
  .min(1)
  .max(1_000)
  .describe(`Customers that may order it; ["${ALL_CUSTOMERS}"] for all`);

export const newCustomerProduct = z.object({
  name: text(200),
  customerIds: customerIds.optional().describe('Left out: the client itself; every customer for an operator'),
  productModelId: id,
  variantOptions: z.array(variantOption).max(20),
  partQuantities: z.array(partQuantity).max(50).optional(),
});

export const customerProductChange = z.object({
  name: text(200).optional(),
  customerIds: customerIds.optional(),
});

export const customerProduct = z
  .object({
    id: z.string(),
    name: z.string(),
    customerIds: z.array(z.string()),
    productModelId: z.string(),
    variantOptions: z.array(variantOption),
    partQuantities: z.array(partQuantity),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'CustomerProduct' });

export const customerProductQuery = z.object({
  customerProductIds: commaSeparated.optional().describe('Comma-separated'),
  customerIds: commaSeparated
    .optional()
    .describe('Comma-separated; products that name one of these customers'),
  productModelIds: commaSeparated.optional().describe('Comma-separated'),
  search: z.string().max(200).optional().describe('Part of the name, in any case'),
  offset: queryInteger(0, 1_000_000_000, 0),
  limit: queryInteger(1, 250, 250),
});

export const customerProductList = z.object({
  customerProducts: z.array(
    customerProduct
      .extend({
        state: z.string(),
        variantOptions: z.array(
          variantOption.extend({ values: z.array(z.string()), defaultValue: z.string(), state: z.string() }),
        ),
      })
      .meta({ id: 'ListedCustomerProduct' }),
  ),
  meta: z.object({
    offset: z.number().int(),
    limit: z.number().int(),
    total: z.number().int(),
    totalIsEstimate: z
      .literal(true)
      .optional()
      .describe('Given for a search with more than 1,000 matches: the total is estimated'),
  }),
});

/* Variant values ---------------------------------------------------------------------------------------- */

export const variantValues = z
  .array(
    z
      .object({
        variantOptionId: id,
        values: z
          .array(
            z.object({
              value: text(200),
              attributeValues: z
                .array(
                  z.object({
                    partModelId: id,
                    attributes: z.record(z.string().max(100), z.string().max(100)),
                  }),
                )
                .max(50),
              isDefault: z.boolean().default(false),
            }),
          )
          .max(1_000),
      })
      .meta({ id: 'VariantValue' }),
  )
  .max(100);

/* Attributes -------------------------------------------------------------------------------------------- */

const properties = z
  .record(
    z.string().min(1).max(100),
    z.union([z.string().max(1_000), z.number(), z.array(z.string().max(1_000)).max(100)]),
  )
  .refine((given) => Object.keys(given).length <= 100, 'No more than 100 properties');

export const attributeValue = z.object({
  id: attributeId,
  description: z.string().max(1_000).nullish(),
  properties: properties.optional(),
  isCustom: z.boolean().default(false).describe('Takes any input, e.g. a page count'),
  isDefault: z
    .boolean()
    .default(false)
    .describe('Selected when the attribute comes into a new product model'),
});

export const attributeValues = z
  .array(attributeValue)
  .min(1)
  .max(1_000)
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [at, entry] of value.entries()) {
      if (seen.has(entry.id)) {
        issues.push({
          code: 'custom',
          message: `Id "${entry.id}" is given twice.`,
          path: [at, 'id'],
          input: entry.id,
        });
      }
      seen.add(entry.id);
    }
  });

export const storedAttributeValue = z
  .object({
    id: z.string(),
    description: z.string().optional().describe('Left out when none was given'),
    properties: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .describe('With computed ones: rgb and cmyk of a hex colour code, inches of millimetres'),
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

export const attribute = z.object({
  description: text(1_000),
  properties: z.array(propertyDefinition).max(100).default([]),
});

/* Product models ---------------------------------------------------------------------------------------- */

const modelAttribute = z.object({
  id: attributeId,
  valueIds: z
    .array(attributeId)
    .min(1)
    .max(1_000)
    .nullish()
    .describe('Values on offer; left out: all, later ones too'),
  defaultValueId: attributeId.nullish().describe('Left out: the attribute’s own default'),
});

const modelPart = z.object({
  modelId: text(100),
  id: text(100).optional().describe('Left out: the modelId'),
  name: text(200),
  quantity: z.number().int().min(0).max(10_000).default(1),
  order: z.number().int().min(0).max(1_000).optional().describe('Left out: its place in the list'),
});

const modelParts = z
  .array(modelPart)
  .max(50)
  .transform((parts) =>
    parts.map((part, at) => ({ ...part, id: part.id ?? part.modelId, order: part.order ?? at + 1 })),
  );

const previewURL = z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2_000)]);

export const newProductModel = z.object({
  id: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9_.-]+$/, 'Only letters, digits, underscore, period and hyphen')
    .optional()
    .describe('Left out: made by the service'),
  name: text(200),
  description: z.string().max(5_000).default(''),
  previewURL: previewURL.default(''),
  categoryId: text(100),
  productUidTemplate: text(500).describe('Such as flat_product_pf_{paper_format}_{orientation}'),
  attributes: z
    .array(modelAttribute)
    .max(50)
    .optional()
    .describe('Left out: all values of the template’s attributes'),
  parts: modelParts.default([]),
  state: z.enum(['draft', 'active']).default('draft'),
  production: productionSpec.prefault({}),
});

export const productModelChange = z.object({
  name: text(200).optional(),
  description: z.string().max(5_000).optional(),
  previewURL: previewURL.optional(),
  categoryId: text(100).optional(),
  productUidTemplate: text(500).optional().describe('Only while a draft'),
  attributes: z.array(modelAttribute).max(50).optional(),
  parts: modelParts.optional().describe('Only while a draft'),
  state: z.enum(MODEL_STATES).optional(),
  production: productionSpec.optional().describe('Replaces the former one'),
});

export const productModel = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    previewURL: z.string(),
    attributes: z.array(
      z.object({
        id: z.string(),
        description: z.string(),
        properties: z.array(z.object({ id: z.string(), description: z.string(), type: z.string() })),
        valueIds: z.array(z.string()).nullable().optional().describe('For operators'),
        defaultValueId: z.string().nullable().optional().describe('For operators'),
      }),
    ),
    productUidTemplate: z.string(),
    categoryId: z.string(),
    parts: z.array(
      z.object({
        modelId: z.string(),
        id: z.string(),
        name: z.string(),
        quantity: z.number().int(),
        order: z.number().int(),
      }),
    ),
    state: z.enum(MODEL_STATES),
    production: productionSpec.optional().describe('For operators: how it is made, packed and priced'),
  })
  .meta({ id: 'ProductModel' });

export const productModelQuery = z.object({
  modelIds: commaSeparated.optional().describe('Comma-separated'),
  state: z.enum(MODEL_STATES).optional(),
  offset: queryInteger(0, 1_000_000_000, 0),
  limit: queryInteger(1, 1_000, 1_000),
});
