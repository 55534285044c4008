/** Content types of print files, detected from the content (`mimeType` of schema `OrderFile`). */
export const PRINT_FILE_TYPES = ['application/pdf', 'image/png', 'image/jpeg'] as const;

export type PrintFileType = (typeof PRINT_FILE_TYPES)[number];

const FILE_EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
} satisfies Record<PrintFileType, string>;

/** Returns a file name with the extension of a content type. */
export function withExtension(name: string, contentType: string): string {
  return `${name}.${FILE_EXTENSIONS[contentType] ?? 'bin'}`;
}

/** The preview images of an item, with the longest side in pixels. */
export const PREVIEW_SIZES = {
  preview_flat: 1600,
  preview_default: 800,
  preview_thumbnail: 200,
} as const;

export type PreviewType = keyof typeof PREVIEW_SIZES;

/** Properties of a file, read from its content. */
export interface FileProperties {
  /** Number of pages of a PDF. 1 for an image. */
  readonly pageCount: number;
  /** Size of an image in pixels, after the rotation of its EXIF orientation. Null for a PDF. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Size of the first page of a PDF in millimetres. Null for an image. */
  readonly widthMm: number | null;
  readonly heightMm: number | null;
}

/**
 * Returns the resolution of an image printed at a size, in dots per inch: the lower of both directions, rounded down.
 * The image is rotated to match the orientation of the print.
 */
export function printDpi(
  image: { readonly widthPx: number; readonly heightPx: number },
  print: { readonly widthMm: number; readonly heightMm: number },
): number {
  const [longPx, shortPx] = [Math.max(image.widthPx, image.heightPx), Math.min(image.widthPx, image.heightPx)];
  const [longMm, shortMm] = [Math.max(print.widthMm, print.heightMm), Math.min(print.widthMm, print.heightMm)];
  return Math.floor(Math.min(longPx / longMm, shortPx / shortMm) * 25.4);
}
