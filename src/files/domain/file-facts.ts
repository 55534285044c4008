/** Types a print file may be of, told from its content (interface "Asset": contentType). */
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

/** The preview images of a retrieved item: longest side in pixels. */
export const PREVIEW_SIZES = {
  preview_flat: 1600,
  preview_default: 800,
  preview_thumbnail: 200,
} as const;

export type PreviewType = keyof typeof PREVIEW_SIZES;

/** What is known of a file from its content. */
export interface FileFacts {
  /** Pages of a PDF; an image is one page. */
  readonly pageCount: number;
  /** Pixels of an image, as it is shown (a JPEG's rotation applied); null for a PDF. */
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  /** Size of a PDF's first page in millimetres; null for an image. */
  readonly widthMm: number | null;
  readonly heightMm: number | null;
}

/**
 * Resolution of an image printed at a size, in dots an inch: the lower of both directions, rounded down, the image
 * turned to suit the print's orientation.
 */
export function printDpi(
  image: { readonly widthPx: number; readonly heightPx: number },
  print: { readonly widthMm: number; readonly heightMm: number },
): number {
  const [longPx, shortPx] = [
    Math.max(image.widthPx, image.heightPx),
    Math.min(image.widthPx, image.heightPx),
  ];
  const [longMm, shortMm] = [
    Math.max(print.widthMm, print.heightMm),
    Math.min(print.widthMm, print.heightMm),
  ];
  return Math.floor(Math.min(longPx / longMm, shortPx / shortMm) * 25.4);
}
