import type { PrintArea } from '../../catalog/domain/product';

/** Asset type of a garment file; its preview has the type with the suffix `_preview`. */
export const GARMENT_ASSET_TYPES = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'] as const;
type GarmentAssetType = (typeof GARMENT_ASSET_TYPES)[number];

export interface GarmentPosition {
  readonly fileType: string;
  /** Name in the `location` attribute of the print order. */
  readonly name: string;
  readonly assetType: GarmentAssetType;
}

/** Embroideries keep the name of their file type, because several of them share one asset type. */
const embroidery = (fileType: string, assetType: GarmentAssetType) => ({ fileType, name: fileType, assetType });
const print = (fileType: string, assetType: GarmentAssetType) => ({ fileType, name: assetType, assetType });

/** The positions in the order that partners expect: `front+back`. */
export const GARMENT_POSITIONS: readonly GarmentPosition[] = [
  print('front', 'front'),
  embroidery('chest-left-embroidery', 'front'),
  embroidery('chest-center-embroidery', 'front'),
  embroidery('chest-large-embroidery', 'front'),
  print('back', 'back'),
  print('neck-inner', 'inlbl'),
  print('neck-outer', 'bcklbl'),
  print('sleeve-left', 'shsll'),
  embroidery('sleeve-left-embroidery', 'shsll'),
  embroidery('wrist-left-embroidery', 'shsll'),
  print('sleeve-right', 'shslr'),
  embroidery('sleeve-right-embroidery', 'shslr'),
  embroidery('wrist-right-embroidery', 'shslr'),
];

/**
 * Returns the position of a garment file, or undefined when the file type has none. `default` is the front, unless the
 * garment's only print area is another.
 */
export function garmentPosition(fileType: string, printAreas: readonly PrintArea[] = []): GarmentPosition | undefined {
  const onlyArea = printAreas.length === 1 ? printAreas[0]!.fileType : 'front';
  const named = fileType !== 'default' ? fileType : onlyArea === 'default' ? 'front' : onlyArea;
  return GARMENT_POSITIONS.find((position) => position.fileType === named);
}
