import { z } from 'zod';
import { text } from '../platform/domain/fields';
import { commaSeparated, MAX_OFFSET, MAX_PART_QUANTITY, queryInteger, timestamp } from './fields';

/** The entry of customerIds that means every customer. */
export const ALL_CUSTOMERS = '*';

/** The states of a customer product. Only published products can be ordered. */
const state = z.enum(['published', 'archived']);
export type CustomerProductState = z.output<typeof state>;

const id = text(100);

const attributesMapping = z.object({
  partModelId: id.describe('A part of the product model, or the product model itself'),
  attributeIds: z.array(id).max(50),
});

const variantOption = z.object({
  id: id.describe('Unique within the customer product'),
  name: text(100).describe('The key of the option in productVariant of an order'),
  attributesMapping: z.array(attributesMapping).max(50),
});

const partQuantity = z.object({ partModelId: id, quantity: z.number().int().min(0).max(MAX_PART_QUANTITY) });

const customerIds = z
  .array(text(100))
  .min(1)
  .max(1_000)
  .describe(
    `A client's product: its own customers, matched with customerReferenceId of orders. An operator's product: client ` +
      `accounts. ["${ALL_CUSTOMERS}"] for all`,
  );

/** The option of the examples. The demo catalog has its parts and attributes. */
const SIZE_OPTION: z.input<typeof variantOption> = {
  id: 'size',
  name: 'Size',
  attributesMapping: [{ partModelId: 'blank-t-shirt', attributeIds: ['apparel_size'] }],
};

export const newCustomerProduct = z
  .object({
    name: text(200),
    customerIds: customerIds
      .optional()
      .describe('Default: the id of the client, which means all of its customers; for an operator, every client'),
    productModelId: id,
    variantOptions: z.array(variantOption).max(20),
    partQuantities: z.array(partQuantity).max(50).optional(),
  })
  .meta({ examples: [{ name: 'Summer tee', productModelId: 't-shirt', variantOptions: [SIZE_OPTION] }] });

export const customerProductChange = z
  .object({
    name: text(200).optional(),
    customerIds: customerIds.optional(),
    state: state.optional().describe('An archived product cannot be ordered, and lists show it only on request'),
    variantOptions: newCustomerProduct.shape.variantOptions
      .optional()
      .describe('All options. An option with the id of an earlier one keeps its values'),
    partQuantities: newCustomerProduct.shape.partQuantities,
  })
  .meta({ examples: [{ name: 'Tee', variantOptions: [SIZE_OPTION] }] });

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

/** A customer product as changes return it. */
export const changedCustomerProduct = customerProduct.extend({ state }).meta({ id: 'ChangedCustomerProduct' });

export const customerProductQuery = z.object({
  customerProductIds: commaSeparated.optional().describe('Comma-separated'),
  customerIds: commaSeparated
    .optional()
    .describe('Comma-separated. Returns products that name one of these customers, also when they name others too'),
  productModelIds: commaSeparated.optional().describe('Comma-separated'),
  state: commaSeparated
    .pipe(z.array(state).max(state.options.length).optional())
    .default(['published'])
    .describe('Comma-separated. Default: published'),
  search: z.string().max(200).optional().describe('Part of the name, case-insensitive'),
  offset: queryInteger(0, MAX_OFFSET, 0),
  limit: queryInteger(1, 250, 250),
});

export const customerProductList = z.object({
  customerProducts: z.array(
    customerProduct
      .extend({
        state,
        variantOptions: z.array(
          variantOption.extend({ values: z.array(z.string()), defaultValue: z.string(), state: z.string() }),
        ),
      })
      .meta({ id: 'CustomerProductListItem' }),
  ),
  meta: z.object({
    offset: z.number().int(),
    limit: z.number().int(),
    total: z.number().int(),
    totalIsEstimate: z
      .literal(true)
      .optional()
      .describe('Present when more than 1,000 products match a search or a filter: the total is an estimate'),
  }),
});

const partAttributeValues = z.object({
  partModelId: id,
  attributes: z
    .record(z.string().max(100), z.string().max(100))
    .refine((given) => Object.keys(given).length <= 50, 'No more than 50 attributes'),
});

const variantValue = z.object({
  value: text(200),
  attributeValues: z.array(partAttributeValues).max(50),
  isDefault: z.boolean().default(false),
});

export const variantValues = z
  .array(z.object({ variantOptionId: id, values: z.array(variantValue).max(1_000) }).meta({ id: 'VariantValue' }))
  .max(100)
  .meta({
    examples: [
      [
        {
          variantOptionId: 'size',
          values: [
            { value: 'M', attributeValues: [{ partModelId: 'blank-t-shirt', attributes: { apparel_size: 'm' } }] },
          ],
        },
      ],
    ],
  });

export type AttributesMapping = z.output<typeof attributesMapping>;
export type PartQuantity = z.output<typeof partQuantity>;
/** The attribute values of one part that a variant value selects. */
export type PartAttributeValues = z.output<typeof partAttributeValues>;
/** A variant option as stored, with its values. */
export type VariantOption = z.output<typeof variantOption> & {
  readonly state: string;
  readonly values: z.output<typeof variantValue>[];
};

/** A customer product as stored. */
export type CustomerProduct = Omit<
  z.output<typeof customerProduct>,
  'variantOptions' | 'partQuantities' | 'createdAt' | 'updatedAt'
> & {
  readonly variantOptions: VariantOption[];
  readonly partQuantities: PartQuantity[] | null;
  readonly state: CustomerProductState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};
