/**
 * A product as an order needs it: everything that preparation, routing, pricing, print orders and
 * customs read, resolved once from a productUid or from productName and productVariant.
 */

/** Which print order variant and partner address the product goes to. */
export type ProductKind = 'print' | 'apparel' | 'mounted';

export interface ResolvedAttribute {
  /** Attribute key, e.g. `paper_format`. */
  readonly name: string;
  readonly title: string;
  /** Attribute value id, e.g. `a3`. */
  readonly value: string;
  readonly formattedValue: string;
  /** Properties of the value as production systems get them (strings). */
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
  /** Partner stock this part consumes per unit of the part; null for printed parts. */
  readonly partnerSku: string | null;
  readonly unitPriceMinorEur: number;
}

export interface PrintArea {
  readonly fileType: string;
  readonly required: boolean;
  readonly widthMm: number;
  readonly heightMm: number;
}

/** How many pages a print PDF must have; null where any count (at least one) will do. */
export interface PageRule {
  readonly min: number;
  readonly max: number;
  readonly multipleOf: number;
  /** Pages of a book's separate cover file. Absent in products resolved by earlier versions: 1. */
  readonly coverPages?: number;
}

export interface ResolvedProduct {
  /** The uid with every attribute filled in. */
  readonly productUid: string;
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
  /** Workflow-builder products take any file type name of the allowed characters. */
  readonly workflowEnabled: boolean;
  /** File types the product takes when not workflow-enabled. */
  readonly fileTypes: readonly string[];
  /** Apparel printed on one side has one area, on both two: its partner gets 2 or 4 assets. */
  readonly printAreas: readonly PrintArea[];
  readonly pageRule: PageRule | null;
  readonly unitWeightGrams: number;
  /** Packed size of one unit; units that nest share its room (posters rolled into one tube). */
  readonly packed: {
    readonly lengthMm: number;
    readonly widthMm: number;
    readonly heightMm: number;
    readonly nests?: boolean;
  };
  /** How many units one package holds at most. */
  readonly unitsPerPackage: number;
  readonly packagingWeightGrams: number;
  readonly hsCode: string;
  /** Currency -> quantity breaks, ascending by `from`; unit price in minor units, before VAT. */
  readonly priceList: Readonly<
    Record<string, readonly { readonly from: number; readonly unitMinor: number }[]>
  >;
}
