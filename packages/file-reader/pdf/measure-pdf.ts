import type { PdfDict, PdfStream } from '@libpdf/core';
import { cleanFacts, type FileFacts, unmeasured } from '../facts';
import { pdfHeaderAt } from '../file-types';
import { documentFacts, hasScripts, isScript, type Layers } from './document-facts';
import { IDENTITY, INITIAL, type Matrix } from './graphics-state';
import { ImageStreams } from './image-streams';
import { ContentTooComplex, PageContents } from './page-content';
import { PageFacts } from './page-facts';
import { type Box, boxOf, type Page, pagesOf } from './page-tree';
import { forgetNames, openDamagedPdf, openPdfFile, type PdfFile } from './pdf-file';

/**
 * Measures a PDF. Never throws: a fault of the file, or of the parser, is the problem of incomplete facts.
 * @param bytes may be changed
 * @param pageCount the number of pages that PDFium finds
 * @param descriptor the file, to decode its images; without it, they are not decoded
 */
export async function measurePdf(bytes: Buffer, pageCount: number, descriptor?: number): Promise<FileFacts> {
  try {
    return cleanFacts(await measure(bytes, pageCount, descriptor));
  } catch (error) {
    return unmeasured(`the structure of the PDF cannot be read (${error instanceof Error ? error.name : 'error'})`);
  } finally {
    forgetNames();
  }
}

async function measure(file: Buffer, pageCount: number, descriptor?: number): Promise<FileFacts> {
  // The places in the cross-reference table count from the header.
  const bytes = file.subarray(Math.max(0, pdfHeaderAt(file)));
  const opened = await openPdfFile(bytes).catch(() => undefined);
  const pages = opened === undefined ? [] : [...pagesOf(opened, pageCount)];
  const imagesOf = (found: PdfFile) => (descriptor === undefined ? null : new ImageStreams(found, file, descriptor));
  if (opened !== undefined && pages.length === pageCount)
    return await measureFile(opened, pages, pageCount, imagesOf(opened));
  const repaired = opened?.repaired ? opened : await openDamagedPdf(bytes);
  return await measureFile(repaired, [...pagesOf(repaired, pageCount)], pageCount, imagesOf(repaired));
}

async function measureFile(
  file: PdfFile,
  pages: readonly Page[],
  pageCount: number,
  images: ImageStreams | null,
): Promise<FileFacts> {
  const facts = new PageFacts();
  const contents = new PageContents(file, facts);
  const pdf = documentFacts(file);
  const problems: string[] = [];
  if (pages.length < pageCount) problems.push(`${pageCount - pages.length} of ${pageCount} pages cannot be found`);
  let tooComplex = false;
  for (const [index, page] of pages.entries()) {
    facts.nextPage();
    facts.add({ list: 'boxes', key: JSON.stringify(page.boxes), fact: page.boxes });
    pdf.javaScript ||= hasScripts(file, page.dict.get('AA'));
    const annotations = [...annotationsOf(file, page, contents.layers)];
    for (const { type, printed, hasScript } of annotations) {
      facts.add({ list: 'annotations', key: `${type} ${printed}`, fact: { type, printed } });
      pdf.javaScript ||= hasScript;
      if (type === 'FileAttachment') pdf.attachments += 1;
    }
    // After too much content, the boxes and annotations of the other pages are still measured.
    if (tooComplex) continue;
    try {
      contents.read(page);
      for (const { appearance } of annotations) {
        if (appearance !== null) contents.form(appearance.form, { ...INITIAL, matrix: appearance.matrix }, undefined);
      }
    } catch (error) {
      tooComplex = error instanceof ContentTooComplex;
      problems.push(
        tooComplex ? `page ${index + 1} and later pages are too complex` : `page ${index + 1} cannot be read`,
      );
    }
  }
  for (const [image, page] of contents.images) {
    const damage = await images?.damageOf(image);
    if (damage) facts.add({ list: 'damagedImages', key: damage, fact: { damage } }, page);
  }
  const lists = facts.lists();
  if (facts.truncated) problems.push('the pages differ too much to list all facts');
  return { complete: problems.length === 0, problem: problems[0] ?? null, pdf, image: null, ...lists };
}

/** Annotations of a page that are looked at. */
const MAX_ANNOTATIONS = 1_000;

// Flags of annotations (ISO 32000-1, table 165).
const HIDDEN = 2;
const PRINT = 4;

interface Annotation {
  readonly type: string;
  readonly printed: boolean;
  readonly hasScript: boolean;
  /** What is printed, with its place. */
  readonly appearance: { readonly form: PdfStream; readonly matrix: Matrix } | null;
}

function* annotationsOf(file: PdfFile, page: Page, layers: Layers): Generator<Annotation> {
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
