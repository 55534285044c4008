import { cutText } from '../../platform/domain/foreign-text';
import type { PrintNeeds } from './print-needs';

/** Selects the variant of the print order and the address of the partner. */
export const PRODUCT_KINDS = ['print', 'apparel', 'mounted'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

/** Categories of goods for value added tax and similar taxes. `zero`: rate 0 in every country. */
export const TAX_CATEGORIES = ['standard', 'reduced', 'books', 'zero'] as const;
export type TaxCategory = (typeof TAX_CATEGORIES)[number];

export interface ResolvedAttribute {
  /** Attribute key, for example `paper_format`. */
  readonly name: string;
  readonly title: string;
  /** Attribute value id, for example `a3`. */
  readonly value: string;
  readonly formattedValue: string;
  /** Properties of the value, as the strings that production systems get. */
  readonly properties: Readonly<Record<string, string>>;
}

/** A physical part of a multi-part product (frame, poster, blank garment, fulfilment service). */
export interface ResolvedPart {
  readonly partModelId: string;
  readonly modelUid: string;
  readonly name: string;
  readonly type: 'print' | 'stock' | 'service';
  readonly quantity: number;
  readonly attributes: readonly ResolvedAttribute[];
  /** The stock item at the partner of which each unit of the part consumes one piece. Null for printed parts. */
  readonly partnerSku: string | null;
  readonly unitPriceMinorEur: number;
}

/** Quantity breaks by currency, ascending by `from`. Unit prices in minor units, before VAT. */
export type PriceList = Readonly<Record<string, readonly { readonly from: number; readonly unitMinor: number }[]>>;

/** What one unit of a product costs beside the price of the product: further parts, a print area. */
export interface Surcharge {
  readonly units: number;
  /** Only the first quantity break counts. */
  readonly priceList: PriceList;
}

export interface PrintArea {
  /** What the product model says. Everything else is as its family needs it. */
  readonly needs?: Partial<PrintNeeds>;
  readonly fileType: string;
  readonly required: boolean;
  readonly widthMm: number;
  readonly heightMm: number;
  /** The price of the area in one unit. Absent: the price of the product includes the area. */
  readonly priceList?: PriceList;
}

/** The number of pages that a print PDF must have. */
export interface PageRule {
  readonly min: number;
  readonly max: number;
  readonly multipleOf: number;
  /** Pages of a book's separate cover file. Absent: 1. */
  readonly coverPages?: number;
}

/** Returns the name of a product with its variant: `Poster, A3, Portrait`. At most 200 characters. */
export function variantName({ name, attributes }: Pick<ResolvedProduct, 'name' | 'attributes'>): string {
  return cutText([...new Set([name, ...attributes.map(({ formattedValue }) => formattedValue)])].join(', '), 200);
}

/** Returns true for a product that is taken from stock as it is: all parts are stocked, and nothing is printed on it. */
export function isStockProduct({
  parts,
  printAreas,
  workflowEnabled,
}: Pick<ResolvedProduct, 'parts' | 'printAreas' | 'workflowEnabled'>): boolean {
  return !workflowEnabled && parts.length > 0 && printAreas.length === 0 && parts.every(({ type }) => type === 'stock');
}

/**
 * Returns why no print order can make a product of these parts, as the rest of a sentence, or undefined when one can.
 * @param parts without those whose quantity is 0
 */
export function unmakeable(
  { kind, isPrinted }: { readonly kind: ProductKind; readonly isPrinted: boolean },
  parts: readonly Pick<ResolvedPart, 'type' | 'partnerSku'>[],
): string | undefined {
  if (kind === 'apparel' && parts.every(({ partnerSku }) => partnerSku === null)) return 'has no blank garment';
  if (kind !== 'mounted') return undefined;
  if (parts.length === 0) return 'has no parts';
  return isPrinted && parts.every(({ type }) => type !== 'print') ? 'has no part to print on' : undefined;
}

/**
 * Returns the print areas on the pages of the `default` file, in their order: those that no other file has. An optional
 * area with a price needs a file of its own, because orders are priced before their files are read.
 */
export function areasOfDefaultFile(printAreas: readonly PrintArea[], otherTypes: readonly string[]): PrintArea[] {
  return printAreas.filter(
    ({ fileType, required, priceList }) => !otherTypes.includes(fileType) && (required || priceList === undefined),
  );
}

/** Adds the prices of the print areas that an item with these file types has: required ones, and those with a file. */
export function withAreaPrices(product: ResolvedProduct, fileTypes: readonly string[]): ResolvedProduct {
  const areas = product.printAreas.flatMap(({ fileType, required, priceList }) =>
    priceList !== undefined && (required || fileTypes.includes(fileType)) ? [{ units: 1, priceList }] : [],
  );
  return areas.length === 0 ? product : { ...product, surcharges: [...(product.surcharges ?? []), ...areas] };
}

/**
 * The product of an order item, resolved once from a productUid or from productName and productVariant. Has everything
 * that preparation, routing, pricing, print orders and customs read.
 */
export interface ResolvedProduct {
  /** The productUid with every attribute filled in. */
  readonly productUid: string;
  /** The customer product that the order named. Absent for an order by productUid. */
  readonly customerProductId?: string;
  readonly productModelId: string;
  readonly modelUid: string;
  readonly kind: ProductKind;
  readonly name: string;
  readonly description: string;
  readonly categoryId: string;
  readonly productTypeUid: string;
  readonly productNameUid: string;
  readonly attributes: readonly ResolvedAttribute[];
  readonly parts: readonly ResolvedPart[];
  /** Workflow-builder products accept any file type name of the allowed characters. */
  readonly workflowEnabled: boolean;
  /** The file types of a product that is not workflow-enabled. */
  readonly fileTypes: readonly string[];
  /** Apparel has one area per printed side; its partner gets 2 or 4 assets. */
  readonly printAreas: readonly PrintArea[];
  /** Null: any number of pages, at least one. */
  readonly pageRule: PageRule | null;
  readonly unitWeightGrams: number;
  /** Packed size of one unit. Units that nest share the space (posters rolled into one tube). */
  readonly packed: {
    readonly lengthMm: number;
    readonly widthMm: number;
    readonly heightMm: number;
    readonly nests?: boolean;
  };
  /** Most units in one package. */
  readonly unitsPerPackage: number;
  readonly packagingWeightGrams: number;
  readonly hsCode: string;
  /** Absent: standard. */
  readonly taxCategory?: TaxCategory;
  readonly priceList: PriceList;
  readonly surcharges?: readonly Surcharge[];
}
