import { type ResolvedProduct, variantName } from '../../catalog/domain/product';
import {
  type ConsignmentItem,
  type ConsignmentPackage,
  countOf,
  type Money,
} from '../../consignments/domain/consignment';
import { lineValue } from '../../consignments/domain/customs';
import { shareOf } from './retail-value';

/** An item to pack. `value` is the customs value of all its units. */
export interface PackItem {
  readonly itemReferenceId: string;
  readonly quantity: number;
  readonly product: Pick<
    ResolvedProduct,
    | 'productModelId'
    | 'name'
    | 'attributes'
    | 'unitWeightGrams'
    | 'packed'
    | 'unitsPerPackage'
    | 'packagingWeightGrams'
    | 'hsCode'
  >;
  readonly value: Money;
}

/**
 * How units that no packaging instruction names are packed. `shared`: products share packages where their rules permit it.
 * `apart`: each product model has packages of its own.
 */
export type Packing = 'shared' | 'apart';

/** Returns the name of the products that a product may share a package with. A tube holds only what nests in it. */
function companionsOf({ productModelId, packed }: PackItem['product'], packing: Packing): string {
  if (packing === 'apart') return productModelId;
  return packed.nests === true ? 'tubes' : 'boxes';
}

/** One entry of an order's packagingInstructions: the items that go into one package. */
export interface PackagingInstruction {
  readonly packageItems: readonly { readonly orderItemReferenceId: string; readonly quantity: number }[];
  /** Packaging workflow of the package. */
  readonly brandedPackaging?: string | undefined;
}

export interface PackedPackage extends ConsignmentPackage {
  /** Index of the packaging instruction that the package follows. Its packing slip goes in. Null without one. */
  readonly instructionIndex: number | null;
}

/** Equal packages. References and values are those of the first one. */
export interface PackedGroup extends PackedPackage {
  readonly count: number;
}

/** Units of one item in one package. */
interface Portion {
  readonly item: PackItem;
  readonly quantity: number;
}

/** Packages that are filled equally. */
interface Filled {
  readonly portions: Portion[];
  readonly count: number;
}

/**
 * Fills packages in the given order. A unit takes the share 1 / `unitsPerPackage` of a package, so that different
 * products can share a package. No package is empty. Packages that one item fills are counted, so that the work does not
 * depend on quantities.
 */
function fill(portions: readonly Portion[]): Filled[] {
  const packages: Filled[] = [];
  let room = 0;
  for (const { item, quantity } of portions) {
    const perPackage = Math.max(1, item.product.unitsPerPackage);
    for (let left = quantity; left > 0; ) {
      // 3 x 1/3 must fill a package also in floating point.
      let fits = Math.min(left, Math.floor(room * perPackage + 1e-6));
      let count = 1;
      if (fits === 0) {
        fits = Math.min(left, perPackage);
        count = Math.floor(left / fits);
        packages.push({ portions: [], count });
        room = 1;
      }
      packages.at(-1)!.portions.push({ item, quantity: fits });
      room -= fits / perPackage;
      left -= fits * count;
    }
  }
  return packages;
}

/** Returns the sides from the longest to the shortest, in millimetres. */
function sides({ packed }: PackItem['product']): [number, number, number] {
  return [packed.lengthMm, packed.widthMm, packed.heightMm].sort((a, b) => b - a) as [number, number, number];
}

/**
 * Returns the size of a filled package. Units are stacked on their largest face. Units that nest (posters in one tube)
 * take the room of one unit.
 */
function sizeOf(portions: readonly Portion[]): Pick<ConsignmentPackage, 'lengthMm' | 'widthMm' | 'heightMm'> {
  let length = 0;
  let width = 0;
  let stack = 0;
  let nested = 0;
  for (const { item, quantity } of portions) {
    const [longest, middle, shortest] = sides(item.product);
    length = Math.max(length, longest);
    width = Math.max(width, middle);
    if (item.product.packed.nests === true) nested = Math.max(nested, shortest);
    else stack += shortest * quantity;
  }
  const [lengthMm, widthMm, heightMm] = [length, width, stack + nested].sort((a, b) => b - a) as [
    number,
    number,
    number,
  ];
  return { lengthMm, widthMm, heightMm };
}

/**
 * Returns the contents of a package, or of the first of equal packages.
 * @param packed units of each item in earlier packages. Values are differences of rounded running totals, so that the
 *   values of all packages add up to the value of the item. The function adds the units of all packages.
 */
function contents(
  { portions, count }: Filled,
  countryOfOrigin: string,
  packed: Map<PackItem, number>,
): ConsignmentItem[] {
  return portions.map(({ item, quantity }) => {
    const { minor, currency } = item.value;
    const before = packed.get(item) ?? 0;
    const after = before + quantity;
    packed.set(item, before + quantity * count);
    const total = shareOf(minor, after, item.quantity) - shareOf(minor, before, item.quantity);
    return {
      itemReferenceId: item.itemReferenceId,
      description: variantName(item.product),
      quantity,
      unitValue: { minor: shareOf(minor, 1, item.quantity), currency },
      totalValue: { minor: total, currency },
      unitWeightGrams: item.product.unitWeightGrams,
      hsCode: item.product.hsCode,
      countryOfOrigin,
    };
  });
}

interface PackingRules {
  /** ISO 3166-1 alpha-2 of the country of production. */
  readonly countryOfOrigin: string;
  readonly packing: Packing;
}

type FilledAs = Filled & Pick<PackedPackage, 'instructionIndex'>;

/**
 * Packs items (`packagingInstructions` of schema `SubmitOrder`). Each instruction gets its own package, or several when its units
 * do not fit into one. Items that no instruction names share packages as `packing` says. An instruction that names unknown
 * items or too many units takes what exists: an order split over partners has a part of it at each partner.
 */
function fillAll(
  items: readonly PackItem[],
  instructions: readonly PackagingInstruction[],
  packing: Packing,
): FilledAs[] {
  const left = new Map(items.map((item) => [item.itemReferenceId, item.quantity]));
  const byReference = new Map(items.map((item) => [item.itemReferenceId, item]));
  const groups: { readonly instructionIndex: number | null; readonly portions: Portion[] }[] = [];

  for (const [instructionIndex, { packageItems }] of instructions.entries()) {
    const portions: Portion[] = [];
    for (const { orderItemReferenceId, quantity } of packageItems) {
      const item = byReference.get(orderItemReferenceId);
      const taken = Math.min(quantity, left.get(orderItemReferenceId) ?? 0);
      if (item === undefined || taken <= 0) continue;
      left.set(orderItemReferenceId, left.get(orderItemReferenceId)! - taken);
      portions.push({ item, quantity: taken });
    }
    if (portions.length > 0) groups.push({ instructionIndex, portions });
  }

  const rest = items.flatMap((item): Portion[] => {
    const quantity = left.get(item.itemReferenceId)!;
    return quantity > 0 ? [{ item, quantity }] : [];
  });
  for (const portions of Map.groupBy(rest, ({ item }) => companionsOf(item.product, packing)).values())
    groups.push({ instructionIndex: null, portions });

  return groups.flatMap(({ instructionIndex, portions }) =>
    fill(portions).map((filled) => ({ ...filled, instructionIndex })),
  );
}

/** Weights are gross, in grams. Sizes are in millimetres, longest side first. */
function described(filled: readonly FilledAs[], countryOfOrigin: string): PackedGroup[] {
  const packed = new Map<PackItem, number>();
  let number = 1;
  return filled.map(({ instructionIndex, ...each }) => {
    const { portions, count } = each;
    const packageReferenceId = `P-${number}`;
    number += count;
    return {
      packageReferenceId,
      instructionIndex,
      count,
      grossWeightGrams:
        portions.reduce((sum, { item, quantity }) => sum + item.product.unitWeightGrams * quantity, 0) +
        Math.max(...portions.map(({ item }) => item.product.packagingWeightGrams)),
      ...sizeOf(portions),
      items: contents(each, countryOfOrigin, packed),
    };
  });
}

/** Packs items, and counts equal packages: what quotes and plans need. The work does not depend on quantities. */
export function packInGroups(
  items: readonly PackItem[],
  instructions: readonly PackagingInstruction[],
  { countryOfOrigin, packing }: PackingRules,
): PackedGroup[] {
  return described(fillAll(items, instructions, packing), countryOfOrigin);
}

/** Packs items. Returns each package by itself: what print orders and labels need. */
export function packOrder(
  items: readonly PackItem[],
  instructions: readonly PackagingInstruction[],
  { countryOfOrigin, packing }: PackingRules,
): PackedPackage[] {
  const filled = fillAll(items, instructions, packing).flatMap((group) =>
    Array.from({ length: group.count }, () => ({ ...group, count: 1 })),
  );
  return described(filled, countryOfOrigin).map(({ count: _, ...pack }) => pack);
}

/** Returns the number of packages of an order that one partner would make. Products share packages. */
export function parcelCount(
  items: readonly Omit<PackItem, 'value'>[],
  instructions: readonly PackagingInstruction[],
): number {
  const unpriced = items.map((item) => ({ ...item, value: { minor: 0, currency: '' } }));
  return countOf(fillAll(unpriced, instructions, 'shared'));
}

/**
 * Gives packages of a part of a print order the references that the whole print order has for their contents, so that a
 * label names the package that the partner knows. Packages without a counterpart get new references.
 */
export function withReferencesOf(packages: readonly PackedPackage[], whole: readonly PackedPackage[]): PackedPackage[] {
  const free = [...whole];
  let last = whole.length;
  return packages.map((pack) => {
    const counterpart = free.findIndex(
      ({ instructionIndex, items }) =>
        instructionIndex === pack.instructionIndex &&
        pack.items.every(({ itemReferenceId }) => items.some((item) => item.itemReferenceId === itemReferenceId)),
    );
    if (counterpart === -1) {
      last += 1;
      return { ...pack, packageReferenceId: `P-${last}` };
    }
    const [{ packageReferenceId }] = free.splice(counterpart, 1) as [PackedPackage];
    return { ...pack, packageReferenceId };
  });
}

/**
 * Returns packages with the units that are left of their contents. Units leave the last packages first, since packing
 * fills the first packages first. A package that keeps all units is returned as it is.
 * @param left units by item reference
 */
export function withUnitsLeft(
  packages: readonly ConsignmentPackage[],
  left: ReadonlyMap<string, number>,
): ConsignmentPackage[] {
  const open = new Map(left);
  return packages.map((pack) => {
    let removedGrams = 0;
    const items = pack.items.flatMap((item) => {
      const { itemReferenceId, quantity, unitWeightGrams } = item;
      const kept = Math.min(quantity, open.get(itemReferenceId) ?? 0);
      open.set(itemReferenceId, (open.get(itemReferenceId) ?? 0) - kept);
      if (kept === quantity) return [item];
      removedGrams += unitWeightGrams * (quantity - kept);
      const { minor, currency } = lineValue(item);
      return kept === 0
        ? []
        : [{ ...item, quantity: kept, totalValue: { minor: shareOf(minor, kept, quantity), currency } }];
    });
    const isWhole = items.length === pack.items.length && items.every((item, index) => item === pack.items[index]);
    return isWhole ? pack : { ...pack, items, grossWeightGrams: pack.grossWeightGrams - removedGrams };
  });
}
