import { buildProduct } from './build-product';
import { type CatalogModel, chooseValues } from './catalog-model';
import type { ResolvedProduct } from './product';

/** A trim that an order requests (`customTrim` of schema `SubmitOrder`). */
export interface CustomTrim {
  readonly widthMm: number;
  readonly heightMm: number;
}

interface SizeValue extends CustomTrim {
  readonly valueId: string;
}

/** Returns the sizes that a product model offers, the smallest area first. */
function offeredSizes({ model, attributes }: CatalogModel): SizeValue[] {
  const offered = attributes.get(model.production.sizeAttribute ?? '');
  if (offered === undefined) return [];
  return [...offered.values]
    .map(([valueId, { properties }]) => ({
      valueId,
      widthMm: Number(properties.widthMm),
      heightMm: Number(properties.heightMm),
    }))
    .filter(({ widthMm, heightMm }) => widthMm > 0 && heightMm > 0)
    .sort((a, b) => a.widthMm * a.heightMm - b.widthMm * b.heightMm || (a.valueId < b.valueId ? -1 : 1));
}

/** Returns true when the trim fits into the size, upright or turned by 90 degrees. */
function contains(size: CustomTrim, trim: CustomTrim): boolean {
  const sorted = ({ widthMm, heightMm }: CustomTrim) => [widthMm, heightMm].sort((a, b) => a - b);
  const [short, long] = sorted(size);
  const [trimShort, trimLong] = sorted(trim);
  return trimShort! <= short! && trimLong! <= long!;
}

export type TrimResult =
  | { readonly ok: true; readonly product: ResolvedProduct }
  | { readonly ok: false; readonly message: string };

/**
 * Returns the product with the price of the smallest size of its model that contains the trim, and with the weight and the
 * packed size of the trim. Everything else of the product stays. A model without a size attribute has one price, which
 * stays too.
 */
export function trimmedProduct(catalogModel: CatalogModel, product: ResolvedProduct, trim: CustomTrim): TrimResult {
  const sizes = offeredSizes(catalogModel);
  if (sizes.length === 0) return { ok: true, product };
  const size = sizes.find((candidate) => contains(candidate, trim));
  if (size === undefined) {
    return { ok: false, message: 'no size of this product contains the trim' };
  }
  const { sizeAttribute } = catalogModel.model.production;
  const texts = Object.fromEntries(product.attributes.map(({ name, value }) => [name, value]));
  const choice = chooseValues(catalogModel, { ...texts, [sizeAttribute!]: size.valueId });
  const quantityOf = (modelId: string) => product.parts.find((part) => part.partModelId === modelId)?.quantity ?? 0;
  const quantities = new Map(catalogModel.model.parts.map(({ modelId }) => [modelId, quantityOf(modelId)]));
  const built = choice.ok ? buildProduct(catalogModel, choice.values, quantities, trim) : choice;
  if (!built.ok) return { ok: false, message: built.message };
  const { priceList, unitWeightGrams, packed } = built.product;
  return { ok: true, product: { ...product, priceList, unitWeightGrams, packed } };
}
