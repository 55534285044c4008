import type { Sql } from '../platform/postgres';
import { catalogCache } from './catalog-models';
import { type CustomTrim, trimmedProduct } from './domain/trimmed-product';
import type { Resolution } from './resolve-products';

/**
 * Gives products with a custom trim the price of the smallest size that contains it. It runs no statement when no item
 * has a trim or when this process knows the product models.
 * @param trims one for each resolution; undefined without a trim
 * @returns the resolutions; a trim that no size contains is refused at `customTrim`
 */
export async function withTrimPrices(
  sql: Sql,
  resolutions: readonly Resolution[],
  trims: readonly (CustomTrim | null | undefined)[],
): Promise<Resolution[]> {
  const modelIds = resolutions.flatMap((resolution, index) =>
    resolution.ok && trims[index] != null ? [resolution.product.productModelId] : [],
  );
  if (modelIds.length === 0) return [...resolutions];
  const { models } = await catalogCache(sql).modelsById(sql, modelIds);
  return resolutions.map((resolution, index): Resolution => {
    const trim = trims[index];
    if (!resolution.ok || trim == null) return resolution;
    const result = trimmedProduct(models.get(resolution.product.productModelId)!, resolution.product, trim);
    if (result.ok) return result;
    return { ok: false, path: 'customTrim', code: 'VALIDATION_ERROR', message: result.message };
  });
}
