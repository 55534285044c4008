import { type FileFacts, isPartOfDrawing } from '../../../packages/file-reader/facts';
import type { ImagePrint } from '../../../packages/file-reader/opened-file';
import { type AreaNeeds, type Found, type Place, verb } from './file-findings';

/** Facts with the place that has them. */
export type Placed<Fact> = Omit<Fact, 'pages'> & { readonly place: Place };

/** An image of exactly the least resolution has a whole number of pixels, and may be a bit smaller. */
const ROUNDING_DPI = 2;

/** Checks a resolution on paper. @param subject such as `The image has` @param where rest of the message's first clause */
export function checkDpi(dpi: number, page: number, needs: AreaNeeds, sentence: (wanted: string) => string): Found[] {
  const { leastDpi, warningDpi } = needs;
  const wanted = Math.max(leastDpi, warningDpi);
  if (dpi + ROUNDING_DPI >= wanted) return [];
  const severity = dpi < leastDpi ? 'error' : 'warning';
  return [
    {
      code: 'resolution',
      severity,
      page,
      measured: `${dpi} dpi`,
      wanted: `${wanted} dpi`,
      message: sentence(`${wanted} dpi`),
    },
  ];
}

/** Checks the resolution of an image on a page. */
export function checkPlacedImage(
  { place, dpi, count, widthPx, heightPx }: Placed<FileFacts['images'][number]>,
  needs: AreaNeeds,
  product: string,
): Found[] {
  if (isPartOfDrawing(widthPx, heightPx)) return [];
  const what = count === 1 || place.isPlural ? 'an image' : `${count} images`;
  const has = `${place.name} ${verb(place, 'has', 'have')} ${what} of ${dpi} dpi`;
  return checkDpi(dpi, place.page, needs, (wanted) => `${has}; ${product} needs at least ${wanted}.`);
}

/** Checks that the images of a page can be drawn whole. */
export function checkDamagedImage({ place, damage }: Placed<FileFacts['damagedImages'][number]>): Found[] {
  const message = `${place.name} ${verb(place, 'has', 'have')} an image that cannot be drawn: ${damage}.`;
  return [
    { code: 'not_rendered', severity: 'error', page: place.page, measured: damage, wanted: 'whole images', message },
  ];
}

const COLOR_NAMES: Readonly<Record<string, string>> = {
  gray: 'grey',
  rgb: 'RGB',
  cmyk: 'CMYK',
  lab: 'Lab',
  spot: 'spot colours',
};
/** Registration marks, and inks that a process colour of several inks lists. */
const NO_SPOT_COLORS = ['All', 'None', 'Cyan', 'Magenta', 'Yellow', 'Black'];

type ColorFact = Pick<FileFacts['colors'][number], 'model' | 'profile' | 'colorants' | 'maxInkPercent'>;

/** Checks a colour space and the ink of its colours. */
export function checkColor(color: ColorFact & { readonly place: Place }, needs: AreaNeeds, product: string): Found[] {
  const { place, model, profile, colorants, maxInkPercent } = color;
  const has = `${place.name} ${verb(place, 'has', 'have')}`;
  const { page } = place;
  const found: Found[] = [];
  if (maxInkPercent !== null && maxInkPercent > needs.maxInkPercent) {
    const [measured, wanted] = [`${Math.round(maxInkPercent)} %`, `${needs.maxInkPercent} %`];
    const message = `${has} a colour with ${measured} of ink; ${product} takes at most ${wanted}.`;
    found.push({ code: 'ink_limit', severity: 'warning', page, measured, wanted, message });
  }
  if (model === 'unknown' || needs.colors.includes(model)) return found;
  const spots = colorants.filter((name) => !NO_SPOT_COLORS.includes(name));
  if (model === 'spot' && spots.length === 0) return found;
  const wanted = needs.colors.map((name) => COLOR_NAMES[name] ?? name).join(', ');
  const names = model === 'spot' ? spots.join(', ') : `${COLOR_NAMES[model]}${profile === null ? '' : ` (${profile})`}`;
  const colors = model === 'spot' ? `the spot colour${spots.length === 1 ? '' : 's'} ${names}` : `colours in ${names}`;
  found.push({
    code: model === 'spot' ? 'spot_colors' : model === 'rgb' ? 'rgb_colors' : 'color_space',
    severity: 'warning',
    page,
    measured: names,
    wanted,
    message: `${has} ${colors}; ${product} is printed from ${wanted}. They are converted and may look different.`,
  });
  return found;
}

/** Checks an effect of drawn objects. */
export function checkEffect(
  { place, effect }: Pick<Placed<FileFacts['effects'][number]>, 'place' | 'effect'>,
  needs: AreaNeeds,
  product: string,
): Found[] {
  const measured = effect.replace('_', ' ');
  const has = `${place.name} ${verb(place, 'has', 'have')}`;
  const { page } = place;
  if (effect === 'overprint') {
    if (needs.overprint) return [];
    const message = `${has} objects that overprint others; ${product} is printed without overprint.`;
    return [{ code: 'overprint', severity: 'warning', page, measured, wanted: 'no overprint', message }];
  }
  if (needs.transparency) return [];
  const message = `${has} transparency; ${product} is printed without. Flatten the file.`;
  return [{ code: 'transparency', severity: 'error', page, measured, wanted: 'no transparency', message }];
}

/** The fonts that every reader of PDF has (ISO 32000-1, 9.6.2.2). */
const STANDARD_FONT = /^(Helvetica|Times|Courier)(-|$)|^(Symbol|ZapfDingbats)$/;

/** Checks that a font is in the file. */
export function checkFont({ place, name, embedded }: Placed<FileFacts['fonts'][number]>): Found[] {
  if (embedded || STANDARD_FONT.test(name)) return [];
  const measured = name === '' ? 'without a name' : name;
  const uses = `${place.name} ${verb(place, 'uses', 'use')} the font ${measured}, which is not in the file.`;
  const message = `${uses} The text may be printed in another font.`;
  return [
    { code: 'fonts_not_embedded', severity: 'error', page: place.page, measured, wanted: 'embedded fonts', message },
  ];
}

/** Annotations that show nothing of their own on paper, or that are checked elsewhere. */
const NO_COMMENTS = ['Link', 'Popup', 'Widget', 'PrinterMark', 'TrapNet', 'FileAttachment'];

/** Checks an annotation: what it shows is not part of the page. */
export function checkAnnotation({ place, type, printed }: Placed<FileFacts['annotations'][number]>): Found[] {
  if (NO_COMMENTS.includes(type)) return [];
  const is = printed ? 'printed' : 'not printed';
  return [
    {
      code: 'annotations',
      severity: 'warning',
      page: place.page,
      measured: `${type}, ${is}`,
      wanted: 'no annotations',
      message: `${place.name} ${verb(place, 'has', 'have')} an annotation (${type}) that is ${is}.`,
    },
  ];
}

/**
 * Returns the resolution of an image on paper, in dots per inch: that of the direction in which the image is scaled most to cover
 * the size of the print, or least to be inside of it.
 */
export function printDpi(
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
  { widthMm, heightMm, fitMethod }: ImagePrint,
): number {
  const choose = fitMethod === 'contain' ? Math.max : Math.min;
  return Math.round(choose(widthPx / widthMm, heightPx / heightMm) * 25.4);
}
