import { bumpCatalogVersion } from '../../src/catalog/catalog-models';
import type { PartAttributeValues } from '../../src/catalog/customer-product-schemas';
import { parseTemplate } from '../../src/catalog/domain/product-uid';
import { inTransaction, json, type Sql } from '../../src/platform/postgres';
import { DEMO_ATTRIBUTES } from './attributes';
import { DEMO_MODELS } from './product-models';

interface DemoCustomerProduct {
  readonly id: string;
  readonly name: string;
  readonly productModelId: string;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly default: string;
    readonly values: Readonly<Record<string, readonly PartAttributeValues[]>>;
  }[];
}

/** Returns the variant values of one attribute of one part, from a table of option text to value id. */
function values(partModelId: string, attributeId: string, table: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(table).map(([text, id]) => [text, [{ partModelId, attributes: { [attributeId]: id } }]]),
  );
}

const DEMO_CUSTOMER_PRODUCTS: readonly DemoCustomerProduct[] = [
  {
    id: '0190a000-0000-7000-8000-000000000001',
    name: 'Classic tee',
    productModelId: 't-shirt',
    options: [
      {
        id: 'size',
        name: 'Size',
        default: 'M',
        values: values('blank-t-shirt', 'apparel_size', { S: 's', M: 'm', L: 'l', XL: 'xl' }),
      },
      {
        id: 'color',
        name: 'Color',
        default: 'White',
        values: values('blank-t-shirt', 'apparel_color', { White: 'white', Black: 'black', Navy: 'navy' }),
      },
    ],
  },
  {
    id: '0190a000-0000-7000-8000-000000000002',
    name: 'Wall art',
    productModelId: 'framed-poster',
    options: [
      {
        id: 'size',
        name: 'Size',
        default: '30x40 cm',
        values: {
          '30x40 cm': [
            { partModelId: 'poster', attributes: { paper_format: '300x400-mm' } },
            { partModelId: 'poster-frame', attributes: { paper_format: '300x400-mm' } },
          ],
          '50x70 cm': [
            { partModelId: 'poster', attributes: { paper_format: '500x700-mm' } },
            { partModelId: 'poster-frame', attributes: { paper_format: '500x700-mm' } },
          ],
        },
      },
      {
        id: 'frame',
        name: 'Frame',
        default: 'Black',
        values: values('poster-frame', 'frame_material', {
          Black: 'wood-black',
          White: 'wood-white',
          Oak: 'wood-oak',
        }),
      },
    ],
  },
];

function attributeRows(sql: Sql) {
  return DEMO_ATTRIBUTES.map(({ id, description, properties }) => ({
    id,
    description,
    properties: json(sql, properties ?? []),
  }));
}

function valueRows(sql: Sql) {
  return DEMO_ATTRIBUTES.flatMap((attribute) =>
    attribute.values.map(([id, description, properties]) => ({
      attribute_id: attribute.id,
      id,
      description,
      properties: json(sql, properties ?? {}),
      is_custom: id === attribute.custom,
      is_default: id === attribute.default,
    })),
  );
}

function modelRows(sql: Sql) {
  const defaults = new Map(DEMO_ATTRIBUTES.map((attribute) => [attribute.id, attribute.default ?? null]));
  return DEMO_MODELS.map((model) => {
    const parsed = parseTemplate(model.productUidTemplate);
    if (!parsed.ok) throw new Error(`${model.id}: ${parsed.message}`);
    const { attributeIds, prefix } = parsed.template;
    const attributes = attributeIds.map((id) => ({
      id,
      valueIds: model.offers?.[id] ?? null,
      defaultValueId: defaults.get(id) ?? null,
    }));
    return {
      id: model.id,
      name: model.name,
      description: model.description,
      preview_url: '',
      category_id: model.categoryId,
      product_uid_template: model.productUidTemplate,
      uid_prefix: prefix,
      state: model.state ?? 'active',
      attributes: json(sql, attributes),
      parts: json(sql, model.parts ?? []),
      production: json(sql, model.production),
    };
  });
}

function customerProductRows(sql: Sql) {
  return DEMO_CUSTOMER_PRODUCTS.map(({ id, name, productModelId, options }) => ({
    id,
    owner_id: null,
    name,
    customer_ids: ['*'],
    product_model_id: productModelId,
    variant_options: json(
      sql,
      options.map((option) => ({
        id: option.id,
        name: option.name,
        attributesMapping: Object.values(option.values)[0]!.map(({ partModelId, attributes }) => ({
          partModelId,
          attributeIds: Object.keys(attributes),
        })),
        state: 'published',
        values: Object.entries(option.values).map(([value, attributeValues]) => ({
          value,
          attributeValues,
          isDefault: value === option.default,
        })),
      })),
    ),
  }));
}

/**
 * Inserts the demo catalog: attributes, product models, and customer products that every client may order. Rows that
 * already exist stay unchanged, so that changes by operators survive a restart.
 */
export async function seedDemoCatalog(sql: Sql): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const written = [
      await tx`INSERT INTO attributes ${tx(attributeRows(sql))} ON CONFLICT DO NOTHING`,
      await tx`INSERT INTO attribute_values ${tx(valueRows(sql))} ON CONFLICT DO NOTHING`,
      await tx`INSERT INTO product_models ${tx(modelRows(sql))} ON CONFLICT DO NOTHING`,
    ];
    await tx`INSERT INTO customer_products ${tx(customerProductRows(sql))} ON CONFLICT DO NOTHING`;
    if (written.some(({ count }) => count > 0)) await bumpCatalogVersion(tx);
  });
}
