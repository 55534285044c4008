import { inTransaction, json, type Sql } from '../../platform/postgres';
import { bumpCatalogVersion, catalogCache } from '../catalog-models';
import { parseTemplate } from '../domain/product-uid';
import { DEMO_ATTRIBUTES } from './attributes';
import { DEMO_CUSTOMER_PRODUCTS } from './customer-products';
import { DEMO_MODELS } from './product-models';

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
  catalogCache(sql).invalidate();
}
