import { isStockProduct, type ResolvedProduct } from '../../catalog/domain/product';
import { garmentPosition } from '../../partners/domain/garment-positions';

/** A file of an item that its product does not take. */
export interface ItemFileProblem {
  /** Index of the file; null when a file is missing. */
  readonly fileIndex: number | null;
  readonly message: string;
}

type FileRules = Pick<ResolvedProduct, 'kind' | 'workflowEnabled' | 'fileTypes' | 'printAreas' | 'pageRule' | 'parts'>;

/** The sides of a garment that its color type selects. Other positions are added independently of it. */
const SIDES: readonly string[] = ['front', 'back'];

/** Returns the areas that files are for: the inside and the cover of a book, else the print areas. */
function areasOf({ pageRule, printAreas }: FileRules): readonly { fileType: string; required: boolean }[] {
  if (pageRule?.coverPages === undefined) return printAreas;
  return [
    { fileType: 'inside', required: true },
    { fileType: 'cover', required: false },
  ];
}

/**
 * Checks the types of an item's files against its product: each required area has a file, and each file has an area. The
 * file `default` is for the first area; the pages of a PDF may be for the areas without a file (`wantedPages` counts
 * them). Workflow-builder products take any type, but a garment has a place for its own positions only.
 */
export function itemFileProblems(files: readonly { readonly type: string }[], product: FileRules): ItemFileProblem[] {
  const isGarment = product.kind === 'apparel';
  if (isStockProduct(product)) {
    return files.map((_, fileIndex) => ({ fileIndex, message: 'The product is taken from stock and is not printed.' }));
  }
  const areas = areasOf(product);
  const first = areas.length === 1 || !isGarment ? areas[0]?.fileType : 'front';
  const placeOf = (type: string) => {
    const named = type === 'default' ? (first ?? type) : type;
    return isGarment ? garmentPosition(named, product.printAreas)?.assetType : named;
  };
  const accepts = (type: string) =>
    product.workflowEnabled ? !isGarment || placeOf(type) !== undefined : product.fileTypes.includes(type);
  const unaccepted = files.flatMap(({ type }, fileIndex) =>
    accepts(type)
      ? []
      : [{ fileIndex, message: `This product accepts the file types ${product.fileTypes.join(', ')}.` }],
  );
  if (areas.length === 0 || product.workflowEnabled) return unaccepted;

  const types = files.map(({ type }) => type);
  const places = new Set(areas.map(({ fileType }) => placeOf(fileType)));
  // A file of an unknown type may have been meant for any area.
  const missing = (unaccepted.length > 0 || types.includes('default') ? [] : areas)
    .filter(({ fileType, required }) => required && !types.some((type) => placeOf(type) === placeOf(fileType)))
    .map(({ fileType }) => ({ fileIndex: null, message: `A file for the ${fileType} is required.` }));
  const misplaced = types.flatMap((type, fileIndex): ItemFileProblem[] => {
    const place = placeOf(type);
    if (place === undefined || !accepts(type)) return [];
    if (!places.has(place) && (!isGarment || SIDES.includes(place))) {
      return [{ fileIndex, message: `The product is not printed on the ${place}.` }];
    }
    return type === 'default' && first !== 'default' && types.includes(first!)
      ? [{ fileIndex, message: `The files default and ${first} are both for the ${first}.` }]
      : [];
  });
  return [...unaccepted, ...missing, ...misplaced];
}

/** Returns the file types that a product takes; null when it takes any. */
export function acceptedFileTypes(product: FileRules): string[] | null {
  if (isStockProduct(product)) return [];
  if (product.workflowEnabled && product.kind !== 'apparel') return null;
  return product.fileTypes.filter((type) =>
    itemFileProblems([{ type }], product).every(({ fileIndex }) => fileIndex === null),
  );
}
