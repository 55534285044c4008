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

/**
 * Returns where the header of a PDF stands in the first bytes of a file: readers skip up to 1,024 bytes before it (ISO 32000-1,
 * annex H, note 13). -1: there is none.
 */
export const pdfHeaderAt = (head: Buffer): number => head.subarray(0, 1024 + 5).indexOf('%PDF-');

/** The preview images of an item, with the longest side in pixels. */
export const PREVIEW_SIZES = {
  preview_flat: 1600,
  preview_default: 800,
  preview_thumbnail: 200,
} as const;

export type PreviewType = keyof typeof PREVIEW_SIZES;
