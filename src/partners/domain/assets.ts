import type { ResolvedProduct } from '../../catalog/domain/product';
import type { AssetBody } from '../schemas';

/** File types of orders, as asset types call them; `default` depends on the product. */
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

/** One stored print file of an item, with the links a partner may use for a time. */
export interface PrintFile {
  /** File type as ordered: `default`, `front`, `cover`... */
  readonly fileType: string;
  readonly contentType: string;
  /** HTTPS link, time-limited. */
  readonly url: string;
  /** Picture of the printed article; apparel partners check their print against it. */
  readonly preview: { readonly contentType: string; readonly url: string } | null;
}

/** An item that cannot be told to a partner: orders are checked before, so this is a fault of the engine. */
export class PrintOrderError extends Error {
  override readonly name = 'PrintOrderError';
}

/** A type only where the content is split; the block of a book (`default` beside a cover) is its `text`. */
export function paperAssets(files: readonly PrintFile[]): AssetBody[] {
  if (files.length === 1) return [asset(files[0]!)];
  const besideCover = files.some(({ fileType }) => fileType === 'cover');
  return files.map((file) =>
    asset(file, file.fileType === 'default' ? (besideCover ? 'text' : 'front') : typeOf(file.fileType)),
  );
}

/**
 * The assets of a garment: for each printed place the file and its preview, and the places as partners know them.
 * @throws PrintOrderError for a file that has no place on a garment
 */
export function apparelAssets(
  files: readonly PrintFile[],
  product: ResolvedProduct,
): { location: string; assets: AssetBody[] } {
  // An embroidered chest and a printed front are two files at one place: none may be lost.
  const places = files
    .map((file) => [apparelPlace(file, product), file] as const)
    .sort(([a], [b]) => byPlace(a, b));
  return {
    location: [...new Set(places.map(([place]) => place))].join('+'),
    assets: places.flatMap(([place, file]) => [
      asset(file, place),
      // Where no picture was made the print file itself shows what is wanted.
      asset(file.preview ?? file, `${place}_preview`),
    ]),
  };
}

/** Places of a garment in the order partners know them: `front+back`. */
const APPAREL_PLACES: readonly ApparelAssetType[] = ['front', 'back', 'inlbl', 'bcklbl', 'shsll', 'shslr'];
const byPlace = (a: ApparelAssetType, b: ApparelAssetType) =>
  APPAREL_PLACES.indexOf(a) - APPAREL_PLACES.indexOf(b);

/** `default` is the front, unless the garment is printed on one side and that is another. */
function apparelPlace(file: PrintFile, { printAreas }: ResolvedProduct): ApparelAssetType {
  const onlyArea = printAreas.length === 1 ? printAreas[0]?.fileType : undefined;
  const named = file.fileType === 'default' ? (onlyArea ?? 'default') : file.fileType;
  const place = named === 'default' ? 'front' : typeOf(named);
  if (place === undefined || place === 'text' || place === 'cover') {
    throw new PrintOrderError(`file type ${file.fileType} has no place on a garment`);
  }
  return place;
}

/** Workflow-builder files may have any name: those without a counterpart carry no type. */
function typeOf(fileType: string): PrintedAssetType | undefined {
  return Object.hasOwn(ASSET_TYPES, fileType) ? ASSET_TYPES[fileType as keyof typeof ASSET_TYPES] : undefined;
}

function asset({ contentType, url }: { contentType: string; url: string }, type?: AssetType): AssetBody {
  const format = FORMATS[contentType];
  if (format === undefined) throw new PrintOrderError(`no asset can carry ${contentType}`);
  return { ...format, url, ...(type === undefined ? {} : { type }) };
}
