import type { PrintArea } from '../../catalog/domain/product';

/** Asset type of a garment file; its preview has the type with the suffix `_preview`. */
export const GARMENT_ASSET_TYPES = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'] as const;
type GarmentAssetType = (typeof GARMENT_ASSET_TYPES)[number];

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
export const GARMENT_POSITIONS: readonly GarmentPosition[] = Object.values(POSITIONS);

/**
 * Returns the position of a garment file, or undefined when the file type has none. `default` is the front, unless the
 * garment's only print area is another.
 */
export function garmentPosition(fileType: string, printAreas: readonly PrintArea[] = []): GarmentPosition | undefined {
  const onlyArea = printAreas.length === 1 ? printAreas[0]!.fileType : 'front';
  const named = fileType !== 'default' ? fileType : onlyArea === 'default' ? 'front' : onlyArea;
  return Object.hasOwn(POSITIONS, named) ? POSITIONS[named] : undefined;
}
