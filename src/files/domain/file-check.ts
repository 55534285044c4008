import type { FileFacts, FileProperties, PageSet } from '../../../packages/file-reader/facts';
import type { Rendering } from '../../../packages/file-reader/inspection-process';
import {
  checkAnnotation,
  checkColor,
  checkDamagedImage,
  checkDpi,
  checkEffect,
  checkFont,
  checkPlacedImage,
  printDpi,
} from './content-checks';
import {
  type AreaNeeds,
  FILE_CHECKS,
  type FileFinding,
  type FileNeeds,
  type Found,
  type Place,
  placeOf,
  THE_IMAGE,
} from './file-findings';
import { checkImageShape, checkPages, firstPageSize, pageSize, printOf, sizeText } from './page-checks';

interface CheckedFile extends FileProperties {
  readonly facts: FileFacts;
  readonly unrendered: Rendering['unrendered'];
}

/** Findings of a check and a severity. The rest of a file with more is as the first ones. */
const MAX_ALIKE = 5;

/**
 * Checks a print file against what its product needs.
 * @returns the findings, errors first; an empty list for a file without findings
 */
export function checkFile(file: CheckedFile, needs: FileNeeds): FileFinding[] {
  const { facts, widthPx, heightPx } = file;
  const found = [
    ...(widthPx !== null && heightPx !== null
      ? checkImage(facts, { widthPx, heightPx }, needs)
      : checkPdf(file, needs)),
    ...checkDocument(facts),
    ...checkRendering(file),
  ];
  const alike = new Map<string, number>();
  const messages = new Set<string>();
  const rank = { error: 0, warning: 1, ok: 2 };
  return found
    .filter(({ code, severity, message }) => {
      if (messages.has(message)) return false;
      messages.add(message);
      const count = (alike.get(`${code} ${severity}`) ?? 0) + 1;
      alike.set(`${code} ${severity}`, count);
      return count <= MAX_ALIKE;
    })
    .sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function checkImage(
  facts: FileFacts,
  pixels: { readonly widthPx: number; readonly heightPx: number },
  { product, areas }: FileNeeds,
): Found[] {
  const needs = areas[0]!;
  const { image } = facts;
  const found = checkImageShape({ ...pixels, dpi: image?.dpi ?? null }, needs, product);
  const print = printOf(pixels, facts, needs);
  if (print !== null) {
    const dpi = printDpi(pixels, print);
    const message = (wanted: string) =>
      `The image has ${dpi} dpi at its size on paper, ${sizeText(print)}; ${product} needs at least ${wanted}.`;
    found.push(...checkDpi(dpi, THE_IMAGE.page, needs, message));
  }
  if (image === null) return found;
  const color = { place: THE_IMAGE, ...image, colorants: [], maxInkPercent: null };
  const effects = image.alpha ? checkEffect({ place: THE_IMAGE, effect: 'alpha' }, needs, product) : [];
  if (image.animated) {
    const message = 'The image is animated. Its default image is printed.';
    found.push({ code: 'animation', severity: 'warning', page: 1, measured: 'animated', wanted: 'one image', message });
  }
  return [...found, ...checkColor(color, needs, product), ...effects];
}

/** Says why a file has no preview: what could not be drawn here may be printed as something else. */
function checkRendering({ unrendered, widthPx }: CheckedFile): Found[] {
  if (unrendered === null) return [];
  const what = widthPx === null ? 'The first page' : 'The image';
  const why = { slow: 'takes too long to be drawn', large: 'is too large to be drawn', failed: 'cannot be drawn' }[
    unrendered
  ];
  const rest = unrendered === 'failed' ? ' It may be printed otherwise than you see it.' : '';
  return [
    {
      code: 'not_rendered',
      severity: unrendered === 'failed' ? 'error' : 'warning',
      page: 1,
      measured: why,
      wanted: 'a picture',
      message: `${what} ${why}, and has no preview.${rest}`,
    },
  ];
}

function checkPdf(file: FileProperties & { readonly facts: FileFacts }, { product, areas }: FileNeeds): Found[] {
  const { boxes, images, damagedImages, colors, effects, fonts, annotations } = file.facts;
  /** Calls a check for the pages of each fact, with what they need. */
  const each = <Fact extends { readonly pages: PageSet }>(
    facts: readonly Fact[],
    check: (fact: Fact & { readonly place: Place }, needs: AreaNeeds, product: string) => Found[],
  ) =>
    facts.flatMap((fact) =>
      byArea(fact.pages, areas).flatMap(({ pages, needs }) =>
        check({ ...fact, place: placeOf(pages) }, needs, product),
      ),
    );
  const first = firstPageSize(file);
  return [
    ...(boxes.length === 0 && first !== undefined
      ? checkPages(first, areas[0]!, product)
      : each(boxes, (fact, needs) => checkPages({ place: fact.place, ...pageSize(fact) }, needs, product))),
    ...each(images, checkPlacedImage),
    ...each(damagedImages, checkDamagedImage),
    ...each(colors, checkColor),
    ...each(effects, checkEffect),
    ...each(fonts, checkFont),
    ...each(annotations, checkAnnotation),
  ];
}

/** Divides pages by the print area that they are for. Only the last area can have several pages. */
function byArea(pages: PageSet, areas: readonly AreaNeeds[]): { pages: PageSet; needs: AreaNeeds }[] {
  const last = areas.length;
  return areas.flatMap((needs, index) => {
    const [first, end] = [index + 1, index + 1 === last ? Number.POSITIVE_INFINITY : index + 1];
    const ranges = pages.ranges
      .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, end) }))
      .filter(({ from, to }) => from <= to);
    if (ranges.length === 0) return [];
    // Pages beyond the listed ranges are for the last area.
    const listed = pages.ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const own = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    return [{ pages: { count: own + (index + 1 === last ? pages.count - listed : 0), ranges }, needs }];
  });
}

type PdfFacts = NonNullable<FileFacts['pdf']>;

interface DocumentCheck {
  readonly code: Found['code'];
  readonly wanted: string;
  /** Returns what the file has. Undefined: nothing to say. */
  readonly measured: (pdf: PdfFacts) => string | undefined;
  readonly message: (measured: string) => string;
}

const counted = (count: number, noun: string) =>
  count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;

const DOCUMENT_CHECKS = [
  {
    code: 'encrypted',
    wanted: 'no encryption',
    measured: ({ encrypted }) => (encrypted ? 'encrypted' : undefined),
    message: () => 'The file is encrypted. A printer may not be able to open it.',
  },
  {
    code: 'javascript',
    wanted: 'no JavaScript',
    measured: ({ javaScript }) => (javaScript ? 'JavaScript' : undefined),
    message: () => 'The file has JavaScript, which has no effect in print.',
  },
  {
    code: 'attachments',
    wanted: 'no attachments',
    measured: ({ attachments }) => counted(attachments, 'attachment'),
    message: (measured) => `The file has ${measured}, which are not printed.`,
  },
  {
    code: 'xfa_form',
    wanted: 'pages in the file',
    measured: ({ xfa }) => (xfa ? 'XFA form' : undefined),
    message: () =>
      'The file is an XFA form: a program makes its pages when it opens the form, and others print "please wait". Print ' +
      'the form into a new PDF.',
  },
  {
    code: 'form_fields',
    wanted: 'no form fields',
    measured: ({ formFields }) => counted(formFields, 'form field'),
    message: (measured) => `The file has ${measured}. They are printed as they are filled in, or not at all.`,
  },
  {
    code: 'hidden_layers',
    wanted: 'visible layers',
    measured: ({ layers }) => {
      const hidden = layers.filter(({ visible }) => !visible).map(({ name }) => name);
      return hidden.length === 0 ? undefined : hidden.join(', ');
    },
    message: (measured) => `Hidden layers are not printed: ${measured}.`,
  },
  {
    code: 'repaired',
    wanted: 'an undamaged file',
    measured: ({ repaired }) => (repaired ? 'damaged' : undefined),
    message: () => 'The structure of the file is damaged. It was repaired for the check; export the file again.',
  },
] as const satisfies readonly DocumentCheck[];

/** Checks a file as a whole. */
function checkDocument({ complete, problem, pdf }: FileFacts): Found[] {
  const found = pdf === null ? [] : DOCUMENT_CHECKS.flatMap((check) => findingOf(check, pdf));
  if (complete) return found;
  const measured = problem ?? 'not complete';
  return [
    ...found,
    {
      code: 'not_measured',
      severity: 'warning',
      page: null,
      measured,
      wanted: 'a file that can be measured',
      message: `A part of the file could not be checked: ${measured}.`,
    },
  ];
}

function findingOf({ code, wanted, measured, message }: (typeof DOCUMENT_CHECKS)[number], pdf: PdfFacts): Found[] {
  const has = measured(pdf);
  return has === undefined
    ? []
    : [
        {
          code,
          severity: FILE_CHECKS[code].severities[0],
          page: null,
          measured: has,
          wanted,
          message: message(has),
        } as Found,
      ];
}
