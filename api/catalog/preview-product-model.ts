import { z } from 'zod';
import { loadCatalogModels } from '../../src/catalog/catalog-models';
import { buildProduct } from '../../src/catalog/domain/build-product';
import { type CatalogModel, chooseValues } from '../../src/catalog/domain/catalog-model';
import { withAreaPrices } from '../../src/catalog/domain/product';
import { startOf } from '../../src/catalog/domain/product-model';
import { DryRunRollback, rethrowUnlessRollback } from '../../src/catalog/import-catalog';
import type { DescribedModel, productModelChange } from '../../src/catalog/product-model-schemas';
import { changeProductModel } from '../../src/catalog/product-models';
import { priceLine } from '../../src/orders/domain/pricing';
import { fromMinor, type RateTable } from '../../src/platform/domain/money';
import { inTransaction, type Sql } from '../../src/platform/postgres';

/** Most variants that a preview prices. */
const MOST_VARIANTS = 200;

const price = z.number().nullable();

export const productModelPreview = z.object({
  before: z.record(z.string(), z.unknown()).describe('The product model as it is, as the audit log shows it'),
  after: z.record(z.string(), z.unknown()),
  variants: z
    .array(
      z.object({
        values: z.record(z.string(), z.string()).describe('Attribute to value. Other attributes have their defaults'),
        prices: z
          .record(z.string(), z.object({ before: price, after: price }))
          .describe(
            'What one unit costs, by currency, before VAT: now, and once every price has started. Null: it cannot be ordered',
          ),
      }),
    )
    .describe(`At most ${MOST_VARIANTS}: the values that price factors or the change of offers tell apart`),
  total: z.int().describe('Variants, those that are left out included'),
});

type Preview = z.input<typeof productModelPreview>;
type Values = Readonly<Record<string, string>>;

/** Returns a value for each attribute: the default, the first one, or the least custom input. */
function usualValues({ attributes, model }: CatalogModel): Values {
  return Object.fromEntries(
    [...attributes].map(([id, { defaultValueId, values, custom }]) => {
      const least = custom?.properties.min ?? model.production.pages?.included ?? 1;
      return [id, defaultValueId ?? [...values.keys()][0] ?? String(least)];
    }),
  );
}

/** Returns what one unit costs in a currency, before VAT. Null: the product model does not offer it, or has no price. */
function unitPrice(model: CatalogModel, values: Values, currency: string, rates: RateTable): number | null {
  const choice = chooseValues(model, { ...usualValues(model), ...values });
  if (!choice.ok || model.model.production.priceList[currency] === undefined) return null;
  const built = buildProduct(model, choice.values);
  if (!built.ok) return null;
  const line = priceLine({ product: withAreaPrices(built.product, []), quantity: 1 }, currency, rates);
  return line === undefined ? null : fromMinor(line.unitMinor, currency);
}

const offered = ({ attributes }: CatalogModel, id: string) => [...(attributes.get(id)?.values.keys() ?? [])];

/** Returns the attributes by which prices differ, each with the values that the product model offers before or after. */
function pricedAttributes(models: readonly CatalogModel[]): [string, string[]][] {
  const ids = [...new Set(models.flatMap(({ template }) => template.attributeIds))];
  return ids.flatMap((id): [string, string[]][] => {
    const isPriced = models.some(({ model }) => Object.hasOwn(model.production.priceFactors, id));
    const [before, after] = models.map((model) => offered(model, id));
    const values = [...new Set([...before!, ...after!])];
    return values.length > 0 && (isPriced || before!.join() !== after!.join()) ? [[id, values]] : [];
  });
}

/** Prices the variants of a product model before and after a change, at quantity 1. */
function pricedVariants(before: CatalogModel, after: CatalogModel, rates: RateTable) {
  const attributes = pricedAttributes([before, after]);
  const variants = attributes.reduce<Values[]>(
    (rows, [id, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [id]: value }))).slice(0, MOST_VARIANTS),
    [{}],
  );
  const currencies = new Set([before, after].flatMap(({ model }) => Object.keys(model.production.priceList)));
  return {
    variants: variants.map((values) => ({
      values,
      prices: Object.fromEntries(
        [...currencies].map((currency) => [
          currency,
          {
            before: unitPrice(before, values, currency, rates),
            after: unitPrice(after, values, currency, rates),
          },
        ]),
      ),
    })),
    total: attributes.reduce((product, [, values]) => product * values.length, 1),
  };
}

/**
 * Tries a change of a product model and rolls it back.
 * @param shown returns a product model as the response has it
 * @throws Refusal as `changeProductModel`
 */
export async function previewProductModel(
  sql: Sql,
  id: string,
  change: z.output<typeof productModelChange>,
  rates: RateTable,
  shown: (model: DescribedModel) => Preview['before'],
): Promise<Preview> {
  let preview: Preview;
  await inTransaction(sql, async (tx) => {
    const old = (await loadCatalogModels(tx, [id])).get(id);
    const { before, after } = await changeProductModel(tx, id, change);
    const starts = Object.values(after.production.priceList ?? {})
      .flat()
      .map(startOf);
    const changed = (await loadCatalogModels(tx, [id], Math.max(Date.now(), ...starts))).get(id)!;
    preview = { before: shown(before), after: shown(after), ...pricedVariants(old!, changed, rates) };
    throw new DryRunRollback();
  }).catch(rethrowUnlessRollback);
  return preview!;
}
