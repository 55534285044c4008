import { cleanValue } from '../../platform/domain/foreign-text';
import { type FileFacts, unmeasured } from '../domain/file-facts';
import { annotationsOf } from './annotations';
import { documentFacts, hasScripts } from './document-facts';
import { INITIAL } from './graphics-state';
import { ContentTooComplex, PageContents } from './page-content';
import { PageFacts } from './page-facts';
import { type Page, pagesOf } from './page-tree';
import { forgetNames, openDamagedPdf, openPdfFile, type PdfFile } from './pdf-file';

/** Code points of a name in the facts. */
const MAX_TEXT = 200;

/**
 * Measures a PDF. Never throws: a fault of the file, or of the parser, is the problem of incomplete facts.
 * @param bytes may be changed
 * @param pageCount the number of pages that PDFium finds
 */
export async function measurePdf(bytes: Buffer, pageCount: number): Promise<FileFacts> {
  try {
    return cleanValue(await measure(bytes, pageCount), MAX_TEXT);
  } catch (error) {
    return unmeasured(`the structure of the PDF cannot be read (${error instanceof Error ? error.name : 'error'})`);
  } finally {
    forgetNames();
  }
}

async function measure(bytes: Buffer, pageCount: number): Promise<FileFacts> {
  const opened = await openPdfFile(bytes).catch(() => undefined);
  const pages = opened === undefined ? [] : [...pagesOf(opened, pageCount)];
  if (opened !== undefined && pages.length === pageCount) return measureFile(opened, pages, pageCount);
  const repaired = opened?.repaired ? opened : await openDamagedPdf(bytes);
  return measureFile(repaired, [...pagesOf(repaired, pageCount)], pageCount);
}

function measureFile(file: PdfFile, pages: readonly Page[], pageCount: number): FileFacts {
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
  const lists = facts.lists();
  if (facts.truncated) problems.push('the pages differ too much to list all facts');
  return { complete: problems.length === 0, problem: problems[0] ?? null, pdf, image: null, ...lists };
}
