import type { PdfDict } from '@libpdf/core';
import type { FileFacts } from '../domain/file-facts';
import type { PdfFile } from './pdf-file';

/** `ABCDEF+` before the name of a subset (ISO 32000-1, 9.6.4). */
const SUBSET = /^[A-Z]{6}\+/;

/** Returns what print needs to know of a font. The glyphs of a Type 3 font are content, so it is always embedded. */
export function fontFact(file: PdfFile, font: PdfDict): Omit<FileFacts['fonts'][number], 'pages'> {
  const type = file.name(font.get('Subtype')) ?? 'unknown';
  const descendant = type === 'Type0' ? file.dict(file.array(font.get('DescendantFonts'))?.at(0)) : undefined;
  const described = descendant ?? font;
  const descriptor = file.dict(described.get('FontDescriptor'));
  const named = file.name(font.get('BaseFont')) ?? file.name(font.get('Name')) ?? '';
  const isEmbedded = ['FontFile', 'FontFile2', 'FontFile3'].some(
    (key) => file.stream(descriptor?.get(key)) !== undefined,
  );
  return {
    name: named.replace(SUBSET, ''),
    type: file.name(descendant?.get('Subtype')) ?? type,
    embedded: type === 'Type3' || isEmbedded,
    subset: SUBSET.test(named),
  };
}
