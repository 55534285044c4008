import type { ResolvedProduct } from '../../catalog/domain/product';
import type { AssetBody } from '../schemas';

/** Asset type of each file type of an order. `default` is not listed: its asset type depends on the product. */
const ASSET_TYPES = {
  cover: 'cover',
  front: 'front',
  back: 'back',
  inside: 'text',
  'neck-inner': 'inlbl',
  'neck-outer': 'bcklbl',
  'sleeve-left': 'shsll',
  'sleeve-right': 'shslr',
  'chest-left-embroidery': 'front',
  'chest-center-embroidery': 'front',
  'chest-large-embroidery': 'front',
  'sleeve-left-embroidery': 'shsll',
  'sleeve-right-embroidery': 'shslr',
  'wrist-left-embroidery': 'shsll',
  'wrist-right-embroidery': 'shslr',
} as const satisfies Readonly<Record<string, string>>;

type PrintedAssetType = (typeof ASSET_TYPES)[keyof typeof ASSET_TYPES];
type ApparelAssetType = Exclude<PrintedAssetType, 'text' | 'cover'>;
type AssetType = PrintedAssetType | `${ApparelAssetType}_preview`;

const FORMATS: Readonly<Record<string, Pick<AssetBody, 'format' | 'contentType'>>> = {
  'application/pdf': { format: 'pdf', contentType: 'application/pdf' },
  'image/png': { format: 'png', contentType: 'image/png' },
  'image/jpeg': { format: 'jpeg', contentType: 'image/jpeg' },
};

/** One stored print file of an item, with time-limited links. */
export interface PrintFile {
  /** File type as ordered: `default`, `front`, `cover`... */
  readonly fileType: string;
  readonly contentType: string;
  /** HTTPS link, time-limited. */
  readonly url: string;
  /** Preview image. Apparel partners compare their print with it. */
  readonly preview: { readonly contentType: string; readonly url: string } | null;
}

/** An item that no print order can express. Intake refuses such orders, so this error is a bug. */
export class PrintOrderError extends Error {
  override readonly name = 'PrintOrderError';
}

/**
 * Returns the assets of a paper product. Assets have a type only when the content is split over several files. Beside a
 * cover, the `default` file is the inside of a book: type `text`.
 */
export function paperAssets(files: readonly PrintFile[]): AssetBody[] {
  if (files.length === 1) return [asset(files[0]!)];
  const besideCover = files.some(({ fileType }) => fileType === 'cover');
  return files.map((file) =>
    asset(file, file.fileType === 'default' ? (besideCover ? 'text' : 'front') : typeOf(file.fileType)),
  );
}

/**
 * Returns the assets of a garment, a file and its preview for each printed position, and the positions joined by `+`.
 * @throws PrintOrderError for a file type without a position on a garment
 */
export function apparelAssets(
  files: readonly PrintFile[],
  product: ResolvedProduct,
): { location: string; assets: AssetBody[] } {
  // An embroidered chest and a printed front are two files with the same asset type. Send both.
  const places = files
    .map((file) => [apparelPlace(file, product), file] as const)
    .sort(([a], [b]) => byPlace(a, b));
  return {
    location: [...new Set(places.map(([place]) => place))].join('+'),
    assets: places.flatMap(([place, file]) => [
      asset(file, place),
      // Without a preview image, the print file takes its place.
      asset(file.preview ?? file, `${place}_preview`),
    ]),
  };
}

/** Positions of a garment in the order that partners expect: `front+back`. */
const APPAREL_PLACES: readonly ApparelAssetType[] = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'];
const byPlace = (a: ApparelAssetType, b: ApparelAssetType) =>
  APPAREL_PLACES.indexOf(a) - APPAREL_PLACES.indexOf(b);

/** Returns the asset type of a garment file. `default` is the front, unless the garment's only print area is another. */
function apparelPlace(file: PrintFile, { printAreas }: ResolvedProduct): ApparelAssetType {
  const onlyArea = printAreas.length === 1 ? printAreas[0]?.fileType : undefined;
  const named = file.fileType === 'default' ? (onlyArea ?? 'default') : file.fileType;
  const place = named === 'default' ? 'front' : typeOf(named);
  if (place === undefined || place === 'text' || place === 'cover') {
    throw new PrintOrderError(`file type ${file.fileType} has no place on a garment`);
  }
  return place;
}

/** Returns undefined for custom file types (workflow builder): their assets have no type. */
function typeOf(fileType: string): PrintedAssetType | undefined {
  return Object.hasOwn(ASSET_TYPES, fileType) ? ASSET_TYPES[fileType as keyof typeof ASSET_TYPES] : undefined;
}

function asset({ contentType, url }: { contentType: string; url: string }, type?: AssetType): AssetBody {
  const format = FORMATS[contentType];
  if (format === undefined) throw new PrintOrderError(`no asset can carry ${contentType}`);
  return { ...format, url, ...(type === undefined ? {} : { type }) };
}
