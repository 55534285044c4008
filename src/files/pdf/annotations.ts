import type { PdfDict, PdfStream } from '@libpdf/core';
import { hasScripts, isScript } from './document-facts';
import { IDENTITY, type Matrix } from './graphics-state';
import type { Layers } from './layers';
import { type Box, boxOf, type Page } from './page-tree';
import type { PdfFile } from './pdf-file';

/** Annotations of a page that are looked at. */
const MAX_ANNOTATIONS = 1_000;

// Flags of annotations (ISO 32000-1, table 165).
const HIDDEN = 2;
const PRINT = 4;

export interface Annotation {
  readonly type: string;
  readonly printed: boolean;
  readonly hasScript: boolean;
  /** What is printed, with its place. */
  readonly appearance: { readonly form: PdfStream; readonly matrix: Matrix } | null;
}

export function* annotationsOf(file: PdfFile, page: Page, layers: Layers): Generator<Annotation> {
  const annotations = [...(file.array(page.dict.get('Annots')) ?? [])].slice(0, MAX_ANNOTATIONS);
  for (const each of annotations) {
    const dict = file.dict(each);
    if (dict === undefined) continue;
    const type = file.name(dict.get('Subtype')) ?? 'unknown';
    const flags = file.number(dict.get('F')) ?? 0;
    const printed = (flags & PRINT) !== 0 && (flags & HIDDEN) === 0 && !layers.isHidden(dict.get('OC'));
    yield {
      type,
      printed,
      hasScript: isScript(file, dict.get('A')) || hasScripts(file, dict.get('AA')),
      // The window of a note has no appearance of its own.
      appearance: printed && type !== 'Popup' ? appearanceOf(file, dict) : null,
    };
  }
}

/** Returns the normal appearance of an annotation, in its current state (12.5.5). */
function appearanceOf(file: PdfFile, annotation: PdfDict): Annotation['appearance'] {
  const normal = file.dict(annotation.get('AP'))?.get('N');
  const state = file.name(annotation.get('AS')) ?? 'Off';
  const form = file.stream(normal) ?? file.stream(file.dict(normal)?.get(state));
  const place = boxOf(file, annotation.get('Rect'));
  const box = boxOf(file, form?.get('BBox'));
  if (form === undefined || place === undefined || box === undefined) return null;
  const own = file.numbers(form.get('Matrix'));
  const around = bounds(box, own?.length === 6 ? (own as unknown as Matrix) : IDENTITY);
  const [x, y] = [(place[2] - place[0]) / (around[2] - around[0]), (place[3] - place[1]) / (around[3] - around[1])];
  if (!(Number.isFinite(x) && Number.isFinite(y))) return null;
  return { form, matrix: [x, 0, 0, y, place[0] - around[0] * x, place[1] - around[1] * y] };
}

/** Returns the box around a transformed box. */
function bounds([left, bottom, right, top]: Box, [a, b, c, d, e, f]: Matrix): Box {
  const corners = [left, right].flatMap((x) =>
    [bottom, top].map((y) => [a * x + c * y + e, b * x + d * y + f] as const),
  );
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
