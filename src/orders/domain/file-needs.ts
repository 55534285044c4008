import { defaultNeeds, type PrintNeeds } from '../../catalog/domain/print-needs';
import { areasOfDefaultFile, type PrintArea, type ResolvedProduct } from '../../catalog/domain/product';
import type { CustomTrim } from '../../catalog/domain/trimmed-product';
import type { AreaNeeds, FileNeeds } from '../../files/domain/file-findings';

export type CheckedProduct = Pick<ResolvedProduct, 'kind' | 'name' | 'pageRule' | 'printAreas' | 'workflowEnabled'>;

export interface FileOfProduct {
  /** As ordered. */
  readonly type: string;
  /** Types of the item's other files. */
  readonly otherTypes: readonly string[];
  readonly product: CheckedProduct;
  readonly customTrim: CustomTrim | null;
}

/** Returns what a print area needs: what its model says, else what its family needs. */
export function needsOfArea({ needs }: Pick<PrintArea, 'needs'>, product: CheckedProduct): PrintNeeds {
  const { kind, workflowEnabled, pageRule } = product;
  return { ...defaultNeeds({ kind, workflowEnabled, isBook: pageRule?.coverPages !== undefined }), ...needs };
}

/** Returns the print areas of the pages of a file. Empty: a place that the model does not list, such as a sleeve. */
function areasOfFile({ type, otherTypes, product }: FileOfProduct): readonly PrintArea[] {
  const { printAreas, workflowEnabled, pageRule } = product;
  const own = printAreas.filter(({ fileType }) => fileType === type);
  if (own.length > 0) return own;
  if (workflowEnabled || (type === 'inside' && pageRule?.coverPages !== undefined)) return printAreas.slice(0, 1);
  if (type !== 'default') return [];
  const covered = areasOfDefaultFile(printAreas, otherTypes);
  return covered.length > 0 ? covered : printAreas.slice(0, 1);
}

/** Returns what the product of an item needs of a print file. */
export function needsOfFile(file: FileOfProduct): FileNeeds & { readonly areas: readonly (AreaNeeds & PrintNeeds)[] } {
  const { type, product, customTrim } = file;
  const areas = areasOfFile(file);
  // The cover of a book is wider than its pages, by its spine.
  const hasSize = areas.length > 0 && type !== 'cover';
  const name = `the ${product.name.charAt(0).toLowerCase()}${product.name.slice(1)}`;
  return {
    product: name,
    areas: (areas.length > 0 ? areas : [product.printAreas[0] ?? {}]).map((area) => ({
      ...needsOfArea(area, product),
      size: hasSize ? (customTrim ?? sizeOf(area as PrintArea)) : null,
    })),
  };
}

const sizeOf = ({ widthMm, heightMm }: PrintArea) => ({ widthMm, heightMm });
