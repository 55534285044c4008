import type { PdfDict, PdfObject } from '@libpdf/core';
import { type ColorSpace, inkPercent } from './color-spaces';
import type { PdfFile } from './pdf-file';

/** Parts of a gradient that are looked at. */
const MAX_PARTS = 64;

/** Returns the most ink of the colours that a shading goes between, or null when they are not given one by one. */
export function shadingInk(file: PdfFile, shading: PdfDict | undefined, space: ColorSpace): number | null {
  const inks = colorsOf(file, shading?.get('Function')).flatMap((color) => inkPercent(space, color) ?? []);
  return inks.length === 0 ? null : Math.max(...inks);
}

/** Returns the colours at the ends of exponential functions, and of those that are stitched together (ISO 32000-1, 7.10). */
function colorsOf(file: PdfFile, object: PdfObject | undefined): number[][] {
  const read = file.dict(object);
  const parts = file.array(read?.get('Functions'));
  const functions = parts === undefined ? [read] : [...parts].slice(0, MAX_PARTS).map((part) => file.dict(part));
  return functions.flatMap((each) => ['C0', 'C1'].flatMap((end) => [file.numbers(each?.get(end)) ?? []]));
}
