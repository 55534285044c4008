import type { PdfDict, PdfObject } from '@libpdf/core';
import type { PageBoxes } from '../facts';
import type { PdfFile } from './pdf-file';

/** A page with the attributes that it inherits (ISO 32000-1, 7.7.3.4). */
export interface Page {
  readonly dict: PdfDict;
  readonly resources: PdfObject | undefined;
  readonly boxes: Omit<PageBoxes, 'pages'>;
}

export type Box = [left: number, bottom: number, right: number, top: number];

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'] as const;
type Attributes = Readonly<Partial<Record<(typeof INHERITED)[number], PdfObject | undefined>>>;

/** Editors build trees of three or four levels. */
const MAX_DEPTH = 64;
/** PDFium and poppler use US letter for a page without a media box. */
const LETTER: Box = [0, 0, 612, 792];

/** Returns the pages in their order, at most `limit`. */
export function* pagesOf(file: PdfFile, limit: number): Generator<Page> {
  let found = 0;
  const path = new Set<PdfDict>();
  function* walk(node: PdfDict, above: Attributes): Generator<Page> {
    if (path.has(node) || path.size > MAX_DEPTH) return;
    const attributes: Attributes = Object.fromEntries(INHERITED.map((key) => [key, node.get(key) ?? above[key]]));
    const kids = file.array(node.get('Kids'));
    if (kids === undefined) {
      found += 1;
      yield { dict: node, resources: attributes.Resources, boxes: boxesOf(file, node, attributes) };
      return;
    }
    path.add(node);
    for (const kid of kids) {
      if (found >= limit) break;
      const child = file.dict(kid);
      if (child !== undefined) yield* walk(child, attributes);
    }
    path.delete(node);
  }
  const root = file.dict(file.catalog.get('Pages'));
  if (root !== undefined) yield* walk(root, {});
}

function boxesOf(file: PdfFile, page: PdfDict, inherited: Attributes): Page['boxes'] {
  const mediaBox = boxOf(file, inherited.MediaBox) ?? LETTER;
  // What is outside the media box does not exist (ISO 32000-1, 14.11.2.1).
  const inside = (object: PdfObject | undefined) => clipped(boxOf(file, object), mediaBox);
  const quarters = Math.round((file.number(inherited.Rotate) ?? 0) / 90);
  return {
    mediaBox: mediaBox.map(rounded),
    cropBox: (inside(inherited.CropBox) ?? mediaBox).map(rounded),
    bleedBox: inside(page.get('BleedBox'))?.map(rounded) ?? null,
    trimBox: inside(page.get('TrimBox'))?.map(rounded) ?? null,
    rotation: ((((quarters % 4) + 4) % 4) * 90) as PageBoxes['rotation'],
    userUnit: userUnitOf(file, page),
  };
}

/** Returns a box with ordered corners, or undefined when it has no area. */
export function boxOf(file: PdfFile, object: PdfObject | undefined): Box | undefined {
  const corners = file.numbers(object);
  if (corners?.length !== 4) return undefined;
  const [x1, y1, x2, y2] = corners as Box;
  const box: Box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
  return box[2] > box[0] && box[3] > box[1] ? box : undefined;
}

function clipped(box: Box | undefined, to: Box): Box | undefined {
  if (box === undefined) return undefined;
  const [left, bottom] = [Math.max(box[0], to[0]), Math.max(box[1], to[1])];
  const [right, top] = [Math.min(box[2], to[2]), Math.min(box[3], to[3])];
  return right > left && top > bottom ? [left, bottom, right, top] : undefined;
}

function userUnitOf(file: PdfFile, page: PdfDict): number {
  const unit = file.number(page.get('UserUnit')) ?? 1;
  return unit > 0 ? unit : 1;
}

const rounded = (points: number) => Math.round(points * 1000) / 1000;
