import { inTransaction, json, type Sql } from '../platform/postgres';
import { bumpCatalogVersion, catalogCache } from './catalog-models';
import { DEMO_ATTRIBUTES, DEMO_CUSTOMER_PRODUCTS, DEMO_MODELS } from './demo-catalog';
import { parseTemplate } from './domain/product-uid';

/**
 * Puts the demo catalog in: attributes, product models, and customer products that every client may order. What is
 * there already is left as it is, so that an operator's changes outlive a restart.
 */
export async function seedDemoCatalog(sql: Sql): Promise<void> {
  const values = DEMO_ATTRIBUTES.flatMap((attribute) =>
    attribute.values.map(([id, description, properties]) => ({
      attribute_id: attribute.id,
      id,
      description,
      properties: json(sql, properties ?? {}),
      is_custom: id === attribute.custom,
      is_default: id === attribute.default,
    })),
  );
  const defaults = new Map(DEMO_ATTRIBUTES.map((attribute) => [attribute.id, attribute.default ?? null]));
  const models = DEMO_MODELS.map((model) => {
    const parsed = parseTemplate(model.productUidTemplate);
    if (!parsed.ok) throw new Error(`${model.id}: ${parsed.message}`);
    const { attributeIds, prefix } = parsed.template;
    return {
      id: model.id,
      name: model.name,
      description: model.description,
      preview_url: '',
      category_id: model.categoryId,
      product_uid_template: model.productUidTemplate,
      uid_prefix: prefix,
      state: model.state,
      attributes: json(
        sql,
        attributeIds.map((attributeId) => ({
          attributeId,
          valueIds: model.offers?.[attributeId] ?? null,
          defaultValueId: defaults.get(attributeId) ?? null,
        })),
      ),
      parts: json(sql, model.parts ?? []),
      production: json(sql, model.production),
    };
  });
  const products = DEMO_CUSTOMER_PRODUCTS.map(({ id, name, productModelId, options }) => ({
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
        attributesMapping: option.mapping,
        state: 'published',
        values: Object.entries(option.values).map(([value, attributeValues]) => ({
          value,
          attributeValues,
          isDefault: value === option.default,
        })),
      })),
    ),
  }));
  await inTransaction(sql, async (tx) => {
    const attributes = DEMO_ATTRIBUTES.map(({ id, description, properties }) => ({
      id,
      description,
      properties: json(sql, properties ?? []),
    }));
    const written = [
      await tx`INSERT INTO attributes ${tx(attributes)} ON CONFLICT DO NOTHING`,
      await tx`INSERT INTO attribute_values ${tx(values)} ON CONFLICT DO NOTHING`,
      await tx`INSERT INTO product_models ${tx(models)} ON CONFLICT DO NOTHING`,
    ];
    await tx`INSERT INTO customer_products ${tx(products)} ON CONFLICT DO NOTHING`;
    if (written.some(({ count }) => count > 0)) await bumpCatalogVersion(tx);
  });
  catalogCache(sql).distrust();
}
