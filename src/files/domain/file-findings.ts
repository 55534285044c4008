import type { PageSet } from '../../../packages/file-reader/facts';
import type { FitMethod } from '../../catalog/domain/print-needs';

/** `ok`: said, and no fault. */
export const FINDING_SEVERITIES = ['ok', 'warning', 'error'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

interface FileCheck {
  /** The severities that the check can find. */
  readonly severities: readonly FindingSeverity[];
  readonly finds: string;
}

/** What is checked of a print file (docs/print-files.md). */
export const FILE_CHECKS = {
  page_size: { severities: ['error'], finds: 'A page has another size than the product.' },
  orientation: { severities: ['ok', 'error'], finds: 'A page is turned by 90 degrees.' },
  bleed: { severities: ['warning'], finds: 'The artwork does not reach far enough beyond the trim.' },
  resolution: { severities: ['warning', 'error'], finds: 'An image has too few pixels for its size on paper.' },
  rgb_colors: { severities: ['warning'], finds: 'RGB colours, for a product that is not printed from RGB.' },
  spot_colors: { severities: ['warning'], finds: 'Spot colours, for a product that is printed without them.' },
  color_space: { severities: ['warning'], finds: 'Other colours that the product does not allow.' },
  ink_limit: { severities: ['warning'], finds: 'A colour has more ink than the paper takes.' },
  transparency: { severities: ['error'], finds: 'Transparency, for a product that does not allow it.' },
  overprint: { severities: ['warning'], finds: 'Overprint, for a product that does not allow it.' },
  fonts_not_embedded: { severities: ['error'], finds: 'A font is not in the file.' },
  annotations: { severities: ['warning'], finds: 'Comments or other annotations on a page.' },
  xfa_form: { severities: ['error'], finds: 'A form whose pages are not in the file.' },
  form_fields: { severities: ['warning'], finds: 'Form fields.' },
  hidden_layers: { severities: ['warning'], finds: 'Layers that are hidden and not printed.' },
  encrypted: { severities: ['warning'], finds: 'The file is encrypted.' },
  javascript: { severities: ['warning'], finds: 'The file has JavaScript.' },
  attachments: { severities: ['warning'], finds: 'Other files are attached.' },
  repaired: { severities: ['warning'], finds: 'The structure of the file is damaged.' },
  not_rendered: { severities: ['warning', 'error'], finds: 'The first page or the image cannot be drawn.' },
  animation: { severities: ['warning'], finds: 'The image is animated.' },
  not_measured: { severities: ['warning'], finds: 'A part of the file could not be measured.' },
} as const satisfies Record<string, FileCheck>;

export type FileFindingCode = keyof typeof FILE_CHECKS;
export const FILE_FINDING_CODES = Object.keys(FILE_CHECKS) as [FileFindingCode, ...FileFindingCode[]];

/** Something in a print file that its client should know. */
export interface FileFinding {
  readonly code: FileFindingCode;
  readonly severity: FindingSeverity;
  /** The first page that has it, from 1. Null: the whole file. */
  readonly page: number | null;
  /** What the file has, such as `105 × 148 mm`. */
  readonly measured: string;
  /** What the product needs. */
  readonly wanted: string;
  /** A sentence for the client. */
  readonly message: string;
}

/** A finding whose severity is one of its check. */
export type Found = {
  [Code in FileFindingCode]: FileFinding & {
    readonly code: Code;
    readonly severity: (typeof FILE_CHECKS)[Code]['severities'][number];
  };
}[FileFindingCode];

/** What one page of a file needs: its print area. Lengths in millimetres. */
export interface AreaNeeds {
  /** After trimming. Null: unknown, such as the cover of a book with its spine. */
  readonly size: { readonly widthMm: number; readonly heightMm: number } | null;
  readonly bleedMm: number;
  readonly leastDpi: number;
  readonly warningDpi: number;
  readonly colors: readonly string[];
  readonly maxInkPercent: number;
  readonly transparency: boolean;
  readonly overprint: boolean;
  /** True when a page may have another size: it is printed on the product, which is not cut to the page. */
  readonly otherSize: boolean;
  /** True when a page may be turned by 90 degrees. */
  readonly turned: boolean;
  /** How an image is scaled to the size with its bleed. */
  readonly fitMethod: FitMethod;
}

/** What a product needs of a print file. */
export interface FileNeeds {
  /** Name of the product, for messages. */
  readonly product: string;
  /** The print areas of the pages, in their order. Further pages have the last one. At least one. */
  readonly areas: readonly AreaNeeds[];
}

/** Where a finding is: the pages of a PDF, or an image. */
export interface Place {
  readonly page: number;
  /** Such as `Page 3`, `Pages 2 to 200`, `The image`. */
  readonly name: string;
  readonly isPlural: boolean;
}

export const THE_IMAGE: Place = { page: 1, name: 'The image', isPlural: false };

/** Ranges of pages that a sentence names. */
const NAMED_RANGES = 3;

/** Returns the pages as a sentence names them. */
export function placeOf({ count, ranges }: PageSet): Place {
  const page = ranges[0]?.from ?? 1;
  if (count <= 1) return { page, name: `Page ${page}`, isPlural: false };
  const named = ranges.slice(0, NAMED_RANGES);
  const others = count - named.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const parts = [
    ...named.map(({ from, to }) => (from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`)),
    ...(others > 0 ? [`${others} more`] : []),
  ];
  const last = parts.pop()!;
  return { page, name: `Pages ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}`, isPlural: true };
}

/** Returns the form of a verb that the place needs. */
export const verb = (place: Place, singular: string, plural: string) => (place.isPlural ? plural : singular);
