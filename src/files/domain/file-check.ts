import type { FileFacts } from './file-facts';
import { type FileProperties, printDpi } from './file-properties';

export const FINDING_SEVERITIES = ['warning', 'error'] as const;

/** Something in a print file that prevents a good print. */
export interface FileFinding {
  readonly code: FileFindingCode;
  readonly severity: (typeof FINDING_SEVERITIES)[number];
  /** The page, from 1. Null: the whole file. */
  readonly page: number | null;
  /** What the file has, such as `105 × 148 mm`. */
  readonly measured: string;
  /** What the product needs. */
  readonly wanted: string;
  /** A sentence for the client. */
  readonly message: string;
}

/** What is checked of a print file. */
export const FILE_FINDINGS = {
  page_size: 'The size of a page is not the size of the product.',
  resolution: 'The image has too few pixels for the size of the product.',
} as const;
export type FileFindingCode = keyof typeof FILE_FINDINGS;
export const FILE_FINDING_CODES = Object.keys(FILE_FINDINGS) as [FileFindingCode, ...FileFindingCode[]];

/** What a product needs of a print file. */
export interface FileNeeds {
  /** Name of the product, for messages. */
  readonly product: string;
  /** Size of the printed area after trimming. */
  readonly widthMm: number;
  readonly heightMm: number;
  /** True when a page may have another size than the area: it is printed on the product, which is not cut. */
  readonly anySize: boolean;
}

/** Least resolution without a warning, in dots per inch. Below half of it the print is visibly coarse: an error. */
export const LEAST_DPI = 150;

/** An image of exactly the least resolution has a whole number of pixels, and may be a bit smaller. */
const ROUNDING_DPI = 2;

/** Difference of a page from its product that nobody sees: in millimetres, and as a share of a large product. */
const TOLERANCE_MM = 3;
const TOLERANCE_SHARE = 0.01;
/** Widest bleed of a page without a trim box. */
const WIDEST_BLEED_MM = 10;

/**
 * Checks a print file against what its product needs. A page may be turned by 90 degrees, and may have a bleed on every side.
 * @returns an empty list for a file without findings
 */
export function checkFile(
  properties: FileProperties & { readonly facts: Pick<FileFacts, 'boxes'> },
  needs: FileNeeds,
): FileFinding[] {
  const { widthPx, heightPx, widthMm, heightMm, facts } = properties;
  if (widthPx !== null && heightPx !== null) return checkResolution(printDpi({ widthPx, heightPx }, needs), needs);
  if (widthMm !== null && heightMm !== null) return checkSize(trimOfFirstPage(facts) ?? { widthMm, heightMm }, needs);
  return [];
}

const MM_PER_POINT = 25.4 / 72;

/** Returns the size of the first page after trimming, in either direction. Undefined for a page without a trim box. */
function trimOfFirstPage({ boxes }: Pick<FileFacts, 'boxes'>): Size | undefined {
  const first = boxes.find(({ pages }) => pages.ranges.some(({ from }) => from === 1));
  if (first?.trimBox == null) return undefined;
  const [left, bottom, right, top] = first.trimBox as [number, number, number, number];
  const scale = first.userUnit * MM_PER_POINT;
  return { widthMm: Math.abs(right - left) * scale, heightMm: Math.abs(top - bottom) * scale };
}

interface Size {
  readonly widthMm: number;
  readonly heightMm: number;
}

const sizeText = ({ widthMm, heightMm }: Size) => `${Math.round(widthMm)} × ${Math.round(heightMm)} mm`;
const sides = ({ widthMm, heightMm }: Size) => [Math.min(widthMm, heightMm), Math.max(widthMm, heightMm)] as const;

function checkSize(page: Size, needs: FileNeeds): FileFinding[] {
  if (needs.anySize) return [];
  const wanted = sides(needs);
  const beyond = sides(page).map((side, index) => side - wanted[index]!);
  const isClose = (beyond: number, index: number) =>
    Math.abs(beyond) <= Math.max(TOLERANCE_MM, wanted[index]! * TOLERANCE_SHARE);
  // A bleed is equally wide on all sides.
  const bleed = (beyond[0]! + beyond[1]!) / 4;
  const hasBleed = bleed > 0 && bleed <= WIDEST_BLEED_MM && beyond.every((side) => Math.abs(side - 2 * bleed) <= 1);
  if (hasBleed || beyond.every(isClose)) return [];
  return [
    {
      code: 'page_size',
      severity: 'error',
      page: 1,
      measured: sizeText(page),
      wanted: sizeText(needs),
      message: `Page 1 is ${sizeText(page)}; ${needs.product} is ${sizeText(needs)}.`,
    },
  ];
}

function checkResolution(dpi: number, needs: FileNeeds): FileFinding[] {
  if (dpi + ROUNDING_DPI >= LEAST_DPI) return [];
  return [
    {
      code: 'resolution',
      severity: dpi < LEAST_DPI / 2 ? 'error' : 'warning',
      page: 1,
      measured: `${dpi} dpi`,
      wanted: `${LEAST_DPI} dpi`,
      message: `The image has ${dpi} dpi at the size of ${needs.product}, ${sizeText(needs)}; it needs at least ${LEAST_DPI} dpi.`,
    },
  ];
}
