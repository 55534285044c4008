import type { ResolvedProduct } from '../../catalog/domain/product';
import type { AssetBody, AttributeBody } from '../message-schemas';
import { garmentPosition, garmentPositionOrder } from './garment-positions';

/** Asset type of each file type of a paper product. `default` is not listed: its asset type depends on the product. */
const PAPER_ASSET_TYPES: Readonly<Record<string, 'cover' | 'front' | 'back' | 'text'>> = {
  cover: 'cover',
  front: 'front',
  back: 'back',
  inside: 'text',
};

const FORMATS: Readonly<Record<string, Pick<AssetBody, 'format' | 'contentType'>>> = {
  'application/pdf': { format: 'pdf', contentType: 'application/pdf' },
  'image/png': { format: 'png', contentType: 'image/png' },
  'image/jpeg': { format: 'jpeg', contentType: 'image/jpeg' },
};

/** Keys of file metadata that reach apparel partners: the text of an embroidery and its thread colors. */
const PERSONALIZATION_KEYS = ['text', 'threadColors'];

/** One stored print file of an item, with time-limited links. */
export interface PrintFile {
  /** File type as ordered: `default`, `front`, `cover`... */
  readonly fileType: string;
  readonly contentType: string;
  /** HTTPS link, time-limited. */
  readonly url: string;
  /** Preview image. Apparel partners compare their print with it. */
  readonly preview: { readonly contentType: string; readonly url: string } | null;
  /** Metadata of the file as ordered. */
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
}

/** An item that no print order can express. Intake refuses such orders, so this error is a bug. */
export class PrintOrderError extends Error {
  override readonly name = 'PrintOrderError';
}

/**
 * Returns the assets of a paper product. Assets have a type only when the content is split over several files. Beside a
 * cover, the `default` file is the inside of a book: type `text`. Custom file types (workflow builder) have no type.
 */
export function paperAssets(files: readonly PrintFile[]): AssetBody[] {
  if (files.length === 1) return [asset(files[0]!)];
  const besideCover = files.some(({ fileType }) => fileType === 'cover');
  const typeOf = (fileType: string): AssetBody['type'] => {
    if (fileType === 'default') return besideCover ? 'text' : 'front';
    const position = garmentPosition(fileType);
    if (Object.hasOwn(PAPER_ASSET_TYPES, fileType)) return PAPER_ASSET_TYPES[fileType];
    return position?.assetType;
  };
  return files.map((file) => asset(file, typeOf(file.fileType)));
}

/**
 * Returns the assets of a garment, a file and its preview for each position, and the `location` attribute.
 * @throws PrintOrderError for a file type without a position on a garment
 */
export function apparelAssets(
  files: readonly PrintFile[],
  product: ResolvedProduct,
): { location: AttributeBody; assets: AssetBody[] } {
  // An embroidered chest and a printed front are two files with the same asset type. Send both.
  const placed = files
    .map((file) => {
      const position = garmentPosition(file.fileType, product.printAreas);
      if (position === undefined) {
        throw new PrintOrderError(`file type ${file.fileType} has no position on a garment`);
      }
      return { file, position };
    })
    .sort((a, b) => garmentPositionOrder(a.position) - garmentPositionOrder(b.position));
  const properties = personalization(placed.map(({ file, position }) => ({ file, name: position.name })));
  return {
    location: {
      name: 'location',
      value: [...new Set(placed.map(({ position }) => position.name))].join('+'),
      ...(properties.length === 0 ? {} : { properties }),
    },
    assets: placed.flatMap(({ file, position: { assetType } }) => [
      asset(file, assetType),
      // Without a preview image, the print file takes its place.
      asset(file.preview ?? file, `${assetType}_preview`),
    ]),
  };
}

/**
 * Returns the personalization metadata of files as attribute properties. When several positions have some, the names
 * begin with the position: `chest-left-embroidery.text`.
 */
function personalization(
  files: readonly { readonly file: PrintFile; readonly name: string }[],
): { name: string; value: string }[] {
  const found = files
    .map(({ file, name }) => ({
      name,
      entries: file.metadata.filter(({ key }) => PERSONALIZATION_KEYS.includes(key)),
    }))
    .filter(({ entries }) => entries.length > 0);
  return found.flatMap(({ name, entries }) =>
    entries.map(({ key, value }) => ({ name: found.length === 1 ? key : `${name}.${key}`, value })),
  );
}

function asset({ contentType, url }: { contentType: string; url: string }, type?: AssetBody['type']): AssetBody {
  const format = FORMATS[contentType];
  if (format === undefined) throw new PrintOrderError(`no asset can carry ${contentType}`);
  return { ...format, url, ...(type === undefined ? {} : { type }) };
}
