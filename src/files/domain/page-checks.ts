import type { FileFacts, FileProperties, PageBoxes } from '../../../packages/file-reader/facts';
import type { ImagePrint } from '../../../packages/file-reader/opened-file';
import { type AreaNeeds, type Found, type Place, placeOf, THE_IMAGE, verb } from './file-findings';

interface Size {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** A page, or several of the same boxes. */
export interface SizedPages {
  readonly place: Place;
  /** After trimming, as it is shown. */
  readonly size: Size;
  /** Artwork beyond the trim box on every side. Undefined without a trim box. */
  readonly bleedMm: number | undefined;
}

const MM_PER_POINT = 25.4 / 72;

/** Difference of a page from its product that nobody sees: in millimetres, and as a share of a large product. */
const TOLERANCE_MM = 3;
const TOLERANCE_SHARE = 0.01;
/** Widest bleed of a page without a trim box. */
const WIDEST_BLEED_MM = 10;
/** Boxes are rounded. */
const BLEED_TOLERANCE_MM = 0.5;

export const sizeText = ({ widthMm, heightMm }: Size) => `${Math.round(widthMm)} × ${Math.round(heightMm)} mm`;
const millimetres = (length: number) => `${Math.round(length * 10) / 10} mm`;
const turn = ({ widthMm, heightMm }: Size): Size => ({ widthMm: heightMm, heightMm: widthMm });

/** Returns the first page of a PDF whose boxes were not measured. */
export function firstPageSize({ widthMm, heightMm }: FileProperties): SizedPages | undefined {
  if (widthMm === null || heightMm === null) return undefined;
  return {
    place: placeOf({ count: 1, ranges: [{ from: 1, to: 1 }] }),
    size: { widthMm, heightMm },
    bleedMm: undefined,
  };
}

/** Returns the size of pages after trimming, as they are shown, and their bleed. */
export function pageSize(boxes: PageBoxes): Omit<SizedPages, 'place'> {
  const { trimBox, bleedBox, cropBox, rotation, userUnit } = boxes;
  const scale = userUnit * MM_PER_POINT;
  const [left, bottom, right, top] = (trimBox ?? cropBox) as Box;
  const upright = { widthMm: (right - left) * scale, heightMm: (top - bottom) * scale };
  const outer = (bleedBox ?? cropBox) as Box;
  const beyond = Math.min(left - outer[0], bottom - outer[1], outer[2] - right, outer[3] - top) * scale;
  return {
    size: rotation % 180 === 0 ? upright : turn(upright),
    bleedMm: trimBox === null ? undefined : Math.max(0, beyond),
  };
}
type Box = [left: number, bottom: number, right: number, top: number];

/**
 * Returns the bleed with which a page fits a product, and undefined when it does not.
 * @param page without trim box when its bleed is undefined
 */
function fittingBleed({ size, bleedMm }: Pick<SizedPages, 'size' | 'bleedMm'>, wanted: Size): number | undefined {
  const beyond = [
    { by: size.widthMm - wanted.widthMm, of: wanted.widthMm },
    { by: size.heightMm - wanted.heightMm, of: wanted.heightMm },
  ];
  // Without a trim box, a bleed is equally wide on all sides.
  const bleed = (beyond[0]!.by + beyond[1]!.by) / 4;
  const hasBleed = bleed > 0 && bleed <= WIDEST_BLEED_MM && beyond.every(({ by }) => Math.abs(by - 2 * bleed) <= 1);
  const isClose = beyond.every(({ by, of }) => Math.abs(by) <= Math.max(TOLERANCE_MM, of * TOLERANCE_SHARE));
  if (!hasBleed && !isClose) return undefined;
  return Math.max(0, bleed) + (bleedMm ?? 0);
}

/** Checks size, orientation and bleed of pages. */
export function checkPages(pages: SizedPages, needs: AreaNeeds, product: string): Found[] {
  const { place, size } = pages;
  const wanted = needs.size;
  if (wanted === null || needs.otherSize) return [];
  const upright = fittingBleed(pages, wanted);
  const bleed = upright ?? fittingBleed(pages, turn(wanted));
  const are = verb(place, 'is', 'are');
  if (bleed === undefined) {
    return [
      {
        code: 'page_size',
        severity: 'error',
        page: place.page,
        measured: sizeText(size),
        wanted: sizeText(wanted),
        message: `${place.name} ${are} ${sizeText(size)}; ${product} is ${sizeText(wanted)}.`,
      },
    ];
  }
  const found: Found[] = upright === undefined ? [turned(place, sizeText(size), wanted, needs, product)] : [];
  return [...found, ...missingBleed(place, bleed, needs, product)];
}

function missingBleed(place: Place, bleed: number, needs: AreaNeeds, product: string): Found[] {
  if (bleed + BLEED_TOLERANCE_MM >= needs.bleedMm) return [];
  const measured = bleed < BLEED_TOLERANCE_MM ? 'no bleed' : `a bleed of ${millimetres(bleed)}`;
  const wanted = millimetres(needs.bleedMm);
  return [
    {
      code: 'bleed',
      severity: 'warning',
      page: place.page,
      measured: millimetres(bleed),
      wanted,
      message:
        `${place.name} ${verb(place, 'has', 'have')} ${measured}; ${product} needs ${wanted} on every side. ` +
        'A white edge can be seen after trimming.',
    },
  ];
}

function turned(place: Place, measured: string, wanted: Size, { turned }: AreaNeeds, product: string): Found {
  const what = `${place.name} ${verb(place, 'is', 'are')} ${measured}; ${product} is ${sizeText(wanted)}.`;
  return {
    code: 'orientation',
    severity: turned ? 'ok' : 'error',
    page: place.page,
    measured,
    wanted: sizeText(wanted),
    message: `${what} ${turned ? 'It is printed turned by 90 degrees.' : 'It must not be turned.'}`,
  };
}

/** An image as it is displayed. */
interface DisplayedImage {
  readonly widthPx: number;
  readonly heightPx: number;
  /** The resolution that the file names, in pixels per inch. */
  readonly dpi: number | null;
}

/** Difference of an aspect ratio that nobody sees. Those of a trim and its bleed differ by 0.6 % for A3. */
const RATIO_TOLERANCE = 0.02;

const isShaped = ({ widthPx, heightPx }: DisplayedImage, { widthMm, heightMm }: Size) =>
  Math.abs((widthPx / heightPx) * (heightMm / widthMm) - 1) <= RATIO_TOLERANCE;
const isAcross = (width: number, height: number) => Math.sign(width - height);

/** Returns the trimmed size of an area turned as the image is, and the size with the bleed. */
function sizesOf({ widthPx, heightPx }: DisplayedImage, size: Size, { bleedMm }: AreaNeeds) {
  const isTurned = isAcross(widthPx, heightPx) * isAcross(size.widthMm, size.heightMm) < 0;
  const trim = isTurned ? turn(size) : size;
  const bleed = { widthMm: trim.widthMm + 2 * bleedMm, heightMm: trim.heightMm + 2 * bleedMm };
  return { trim, bleed, isTurned };
}

/** Returns true when the file's own resolution, or its aspect ratio, shows that the image ends at the trim. */
function endsAtTrim(image: DisplayedImage, { trim, bleed }: ReturnType<typeof sizesOf>): boolean {
  const { widthPx, heightPx, dpi } = image;
  const isAbout = ({ widthMm, heightMm }: Size, within: number) =>
    dpi !== null &&
    Math.abs((widthPx / dpi) * 25.4 - widthMm) < within &&
    Math.abs((heightPx / dpi) * 25.4 - heightMm) < within;
  // Half of the way between both sizes, of which the bleed is on two sides.
  const within = (bleed.widthMm - trim.widthMm) / 2;
  if (isAbout(trim, within)) return true;
  return !isAbout(bleed, within) && isShaped(image, trim) && !isShaped(image, bleed);
}

/**
 * Returns how an image is printed: scaled to the print area with its bleed, or without it when the image ends at the trim. Null
 * for a PDF, and without a size.
 */
export function printOf(
  { widthPx, heightPx }: Pick<FileProperties, 'widthPx' | 'heightPx'>,
  facts: FileFacts | null,
  needs: AreaNeeds,
): ImagePrint | null {
  const { size, fitMethod } = needs;
  if (widthPx === null || heightPx === null || size === null) return null;
  const image = { widthPx, heightPx, dpi: facts?.image?.dpi ?? null };
  const sizes = sizesOf(image, size, needs);
  return { ...(endsAtTrim(image, sizes) ? sizes.trim : sizes.bleed), fitMethod };
}

/** Checks aspect ratio, orientation and bleed of an image. */
export function checkImageShape(image: DisplayedImage, needs: AreaNeeds, product: string): Found[] {
  const { size, otherSize } = needs;
  if (size === null || otherSize) return [];
  const sizes = sizesOf(image, size, needs);
  const measured = `${image.widthPx} × ${image.heightPx} pixels`;
  if (!isShaped(image, sizes.trim) && !isShaped(image, sizes.bleed)) {
    const message = `The image is ${measured}; ${product} is ${sizeText(size)}, which is another shape. ${FITTED[needs.fitMethod]}`;
    return [{ code: 'page_size', severity: 'error', page: 1, measured, wanted: sizeText(size), message }];
  }
  return [
    ...(sizes.isTurned ? [turned(THE_IMAGE, measured, size, needs, product)] : []),
    ...(endsAtTrim(image, sizes) ? missingBleed(THE_IMAGE, 0, needs, product) : []),
  ];
}

/** What printing an image of another shape does to it. */
const FITTED = {
  contain: 'Its sides would stay empty.',
  cover: 'Its sides would be cut off.',
  stretch: 'It would be distorted.',
} as const;
