/** Selects the variant of the print order and the address of the partner. */
export const PRODUCT_KINDS = ['print', 'apparel', 'mounted'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

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

export interface PrintArea {
  readonly fileType: string;
  readonly required: boolean;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** The number of pages that a print PDF must have. */
export interface PageRule {
  readonly min: number;
  readonly max: number;
  readonly multipleOf: number;
  /** Pages of a book's separate cover file. Absent: 1. */
  readonly coverPages?: number;
}

/** Returns true for a product that is taken from stock as it is: all parts are stocked, and nothing is printed on it. */
export function isStockProduct({ parts, printAreas }: Pick<ResolvedProduct, 'parts' | 'printAreas'>): boolean {
  return parts.length > 0 && printAreas.length === 0 && parts.every(({ type }) => type === 'stock');
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
  /** Quantity breaks by currency, ascending by `from`. Unit prices in minor units, before VAT. */
  readonly priceList: Readonly<Record<string, readonly { readonly from: number; readonly unitMinor: number }[]>>;
}
