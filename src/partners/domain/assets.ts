import { areasOfDefaultFile, type ResolvedProduct } from '../../catalog/domain/product';
import type { AssetBody, AttributeBody } from '../message-schemas';
import { GARMENT_POSITIONS, garmentPosition } from './garment-positions';

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

/** Keys of file metadata that are also properties of the location: the text of an embroidery and its thread colors. */
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
  /** Null while the file is not stored. */
  readonly pageCount: number | null;
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  /** What was found in the file. Absent: it was not checked. */
  readonly report?: AssetBody['report'];
}

/** An item that no print order can express. Intake refuses such orders, so this error is a bug. */
export class PrintOrderError extends Error {
  override readonly name = 'PrintOrderError';
}

/**
 * Returns the assets of a paper product. Assets have a type only when the content is split over several files. Beside a
 * cover, the `default` file is the inside of a book: type `text`. Files with a custom name (workflow builder) have none.
 */
export function paperAssets(files: readonly PrintFile[]): AssetBody[] {
  const besideCover = files.some(({ fileType }) => fileType === 'cover');
  const typeOf = (fileType: string): AssetBody['type'] => {
    if (fileType === 'default') return besideCover ? 'text' : 'front';
    if (Object.hasOwn(PAPER_ASSET_TYPES, fileType)) return PAPER_ASSET_TYPES[fileType];
    return garmentPosition(fileType)?.assetType;
  };
  return files.map((file) => asset(file, files.length === 1 ? undefined : typeOf(file.fileType)));
}

/**
 * Returns the assets of a garment, a file and its preview for each position, and the `location` attribute. An
 * embroidered chest and a printed front have the same asset type: `fileType` tells them apart.
 */
export function apparelAssets(
  files: readonly PrintFile[],
  product: ResolvedProduct,
): { location: AttributeBody; assets: AssetBody[] } {
  const placed = files
    .flatMap((file) =>
      sidesOf(file, files, product).map((fileType, index, { length }) => {
        const position = garmentPosition(fileType, product.printAreas);
        if (position === undefined) throw new PrintOrderError(`file type ${fileType} has no position on a garment`);
        return { file, position, ...(length === 1 ? {} : { page: index + 1 }) };
      }),
    )
    .sort((a, b) => GARMENT_POSITIONS.indexOf(a.position) - GARMENT_POSITIONS.indexOf(b.position));
  const properties = personalization(placed.map(({ file, position }) => ({ file, name: position.name })));
  return {
    location: {
      name: 'location',
      value: [...new Set(placed.map(({ position }) => position.name))].join('+'),
      ...(properties.length === 0 ? {} : { properties }),
    },
    assets: placed.flatMap(({ file, position: { assetType, fileType }, page }) => {
      const onPage = page === undefined ? {} : { page };
      // The preview image is of the first page. Without one, the print file takes its place.
      const preview = page === undefined || page === 1 ? file.preview : null;
      return [
        { ...asset({ ...file, fileType }, assetType), ...onPage },
        {
          ...asset({ ...(preview ?? file), fileType, metadata: [], report: undefined }, `${assetType}_preview`),
          ...(preview === null ? onPage : {}),
        },
      ];
    }),
  };
}

/** Returns the file types of the sides that a garment's file has: several when each page of a `default` file is a side. */
function sidesOf(
  { fileType, pageCount }: PrintFile,
  files: readonly PrintFile[],
  { printAreas }: ResolvedProduct,
): string[] {
  if (fileType !== 'default' || pageCount === null || pageCount < 2) return [fileType];
  const otherTypes = files.map((file) => file.fileType);
  return areasOfDefaultFile(printAreas, otherTypes)
    .slice(0, pageCount)
    .map((area) => area.fileType);
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

function asset(
  { contentType, url, fileType, metadata, report }: Omit<PrintFile, 'preview' | 'pageCount'>,
  type?: AssetBody['type'],
): AssetBody {
  const format = FORMATS[contentType];
  if (format === undefined) throw new PrintOrderError(`no asset can carry ${contentType}`);
  return {
    ...format,
    url,
    ...(type === undefined ? {} : { type }),
    fileType,
    ...(metadata.length === 0 ? {} : { metadata: [...metadata] }),
    ...(report === undefined ? {} : { report }),
  };
}
