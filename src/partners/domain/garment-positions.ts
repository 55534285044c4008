import type { PrintArea } from '../../catalog/domain/product';

/** Asset type of a garment file; its preview has the type with the suffix `_preview`. */
export const GARMENT_ASSET_TYPES = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'] as const;
type GarmentAssetType = (typeof GARMENT_ASSET_TYPES)[number];

/** A position on a garment. */
export interface GarmentPosition {
  /** Name in the `location` attribute of the print order. */
  readonly name: string;
  readonly assetType: GarmentAssetType;
}

/**
 * Positions by file type, in the order that partners expect: `front+back`. Embroideries keep the name of their file
 * type, because several of them share one asset type.
 */
const POSITIONS: Readonly<Record<string, GarmentPosition>> = {
  front: { name: 'front', assetType: 'front' },
  'chest-left-embroidery': { name: 'chest-left-embroidery', assetType: 'front' },
  'chest-center-embroidery': { name: 'chest-center-embroidery', assetType: 'front' },
  'chest-large-embroidery': { name: 'chest-large-embroidery', assetType: 'front' },
  back: { name: 'back', assetType: 'back' },
  'neck-inner': { name: 'inlbl', assetType: 'inlbl' },
  'neck-outer': { name: 'bcklbl', assetType: 'bcklbl' },
  'sleeve-left': { name: 'shsll', assetType: 'shsll' },
  'sleeve-left-embroidery': { name: 'sleeve-left-embroidery', assetType: 'shsll' },
  'wrist-left-embroidery': { name: 'wrist-left-embroidery', assetType: 'shsll' },
  'sleeve-right': { name: 'shslr', assetType: 'shslr' },
  'sleeve-right-embroidery': { name: 'sleeve-right-embroidery', assetType: 'shslr' },
  'wrist-right-embroidery': { name: 'wrist-right-embroidery', assetType: 'shslr' },
};
const ORDER = Object.values(POSITIONS);

/**
 * Returns the position of a garment file, or undefined when the file type has none. `default` is the front, unless the
 * garment's only print area is another.
 */
export function garmentPosition(fileType: string, printAreas: readonly PrintArea[] = []): GarmentPosition | undefined {
  const onlyArea = printAreas.length === 1 ? printAreas[0]!.fileType : 'front';
  const named = fileType !== 'default' ? fileType : onlyArea === 'default' ? 'front' : onlyArea;
  return Object.hasOwn(POSITIONS, named) ? POSITIONS[named] : undefined;
}

/** Returns the sort key of a position. */
export function garmentPositionOrder(position: GarmentPosition): number {
  return ORDER.indexOf(position);
}

/** The sides of a garment that its color type selects. Other positions are added independently of it. */
const SIDES: readonly GarmentAssetType[] = ['front', 'back'];

/** A file of an apparel item that does not fit the sides that were bought. */
export interface GarmentFileProblem {
  /** Index of the file; null when a file is missing. */
  readonly fileIndex: number | null;
  readonly message: string;
}

/**
 * Checks the files of an apparel item against the print areas of its color type: each required side needs a file, and
 * every file for the front or the back needs a bought side. Products without print areas accept any file.
 */
export function checkGarmentFiles(
  files: readonly { readonly type: string }[],
  printAreas: readonly PrintArea[],
): GarmentFileProblem[] {
  if (printAreas.length === 0) return [];
  const sideOf = (fileType: string) => garmentPosition(fileType, printAreas)?.assetType;
  const bought = new Set(printAreas.map(({ fileType }) => sideOf(fileType)));
  const problems: GarmentFileProblem[] = [];
  for (const { fileType, required } of printAreas) {
    const side = sideOf(fileType);
    if (required && !files.some(({ type }) => sideOf(type) === side)) {
      problems.push({ fileIndex: null, message: `A file for the ${fileType} is required.` });
    }
  }
  const hasFront = files.some(({ type }) => type === 'front');
  for (const [fileIndex, { type }] of files.entries()) {
    const side = sideOf(type);
    if (side === undefined) continue;
    if (SIDES.includes(side) && !bought.has(side)) {
      problems.push({ fileIndex, message: `The product is not printed on the ${side}.` });
    } else if (type === 'default' && side === 'front' && hasFront) {
      problems.push({ fileIndex, message: 'The files default and front are both for the front.' });
    }
  }
  return problems;
}
