import { BLACK, blackOn, type CorpusFile, color, GOOD_BOXES, pages, placed, RGB } from './corpus-file';
import { BOXES, imageObject, PdfBuilder, type SamplePage, SQUARE, sampleFile } from './pdf-builder';

/** Files with several faults at once, as they come from shops. */

const A6 = '/MediaBox [0 0 298 420]';
const A6_BOXES = { mediaBox: [0, 0, 298, 420], cropBox: [0, 0, 298, 420], bleedBox: null, trimBox: null };

/** A page of the wrong size with a coarse image, RGB, a spot colour, a font that is not embedded, and transparency. */
function badPage(pdf: PdfBuilder): SamplePage {
  const spot = '[/Separation /Gold /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 1 1 0] >>]';
  return {
    boxes: `${A6} /Rotate 90`,
    content: `${SQUARE}/G gs q 180 0 0 180 0 0 cm /I Do Q /S cs 1 scn BT /F 12 Tf 9 9 Td (A) Tj ET`,
    resources: `/XObject << /I ${imageObject(pdf, 100, 100)} >> /ExtGState << /G << /ca 0.5 /op true >> >>
      /ColorSpace << /S ${spot} >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>`,
  };
}

/** What is found on a bad page. */
const badFacts = (page: number): CorpusFile['facts'] => {
  const on = pages(1, page);
  return {
    images: [placed(40, { pages: on })],
    colors: [blackOn(page), { ...RGB, pages: on }, color('spot', 'Separation', { pages: on, colorants: ['Gold'] })],
    fonts: [{ pages: on, name: 'Helvetica', type: 'Type1', embedded: false, subset: false }],
    effects: [
      { pages: on, effect: 'alpha' },
      { pages: on, effect: 'overprint' },
    ],
  };
};

export const combinedCases: Readonly<Record<string, CorpusFile>> = {
  'every fault on one page': {
    make: () => {
      const pdf = new PdfBuilder();
      return sampleFile(pdf, { pages: [badPage(pdf)] });
    },
    facts: { ...badFacts(1), boxes: [{ ...GOOD_BOXES, ...A6_BOXES, rotation: 90 }] },
  },
  'every fault on the last of fifty pages': {
    pageCount: 50,
    make: () => {
      const pdf = new PdfBuilder();
      return sampleFile(pdf, { pages: [...Array.from({ length: 49 }, () => ({})), badPage(pdf)], layout: 'stream' });
    },
    facts: {
      ...badFacts(50),
      boxes: [
        { ...GOOD_BOXES, pages: pages(49) },
        { ...GOOD_BOXES, ...A6_BOXES, rotation: 90, pages: pages(1, 50) },
      ],
    },
  },
  'every fault, in a file without a cross-reference table': {
    make: () => {
      const pdf = new PdfBuilder();
      return sampleFile(pdf, { pages: [badPage(pdf)], layout: 'missing' });
    },
    facts: {
      ...badFacts(1),
      boxes: [{ ...GOOD_BOXES, ...A6_BOXES, rotation: 90 }],
      pdf: { repaired: true },
    },
  },
  'a claim of PDF/X-4 beside a script, an attachment, a field and a layer': {
    make: () => {
      const pdf = new PdfBuilder();
      const layer = pdf.add('<< /Type /OCG /Name (Varnish) >>');
      const field = pdf.add('<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (a) /Rect [0 0 9 9] >>');
      const metadata = pdf.stream(
        '<rdf:Description pdfxid:GTS_PDFXVersion="PDF/X-4"/>',
        '/Type /Metadata /Subtype /XML',
      );
      const catalog = `/Metadata ${metadata} /OpenAction << /S /JavaScript /JS (1) >>
        /OutputIntents [<< /S /GTS_PDFX /OutputConditionIdentifier (FOGRA51) >>]
        /OCProperties << /OCGs [${layer}] /D << /OFF [${layer}] >> >> /AcroForm << /Fields [${field}] >>
        /Names << /EmbeddedFiles << /Names [(a) << /F (a) >>] >> >>`;
      return sampleFile(pdf, { catalog, pages: [{ entries: `/Annots [${field}]` }] });
    },
    facts: {
      annotations: [{ pages: pages(1), type: 'Widget', printed: true }],
      pdf: {
        standards: ['PDF/X-4'],
        outputIntent: 'FOGRA51',
        javaScript: true,
        attachments: 1,
        formFields: 1,
        layers: [{ name: 'Varnish', visible: false }],
      },
    },
    poppler: { ignores: ['scripts'], because: 'pdfinfo does not look at the action of the start' },
  },
  'a turned page with a user unit, and an image in a form with a matrix': {
    make: () => {
      const pdf = new PdfBuilder();
      const form = pdf.stream(
        'q 72 0 0 72 0 0 cm /I Do Q',
        `/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Matrix [0 2 -2 0 300 300]
         /Resources << /XObject << /I ${imageObject(pdf, 100, 100)} >> >>`,
      );
      return sampleFile(pdf, {
        pages: [
          {
            boxes: `${BOXES} /UserUnit 2 /Rotate 270`,
            content: `${SQUARE}/F Do`,
            resources: `/XObject << /F ${form} >>`,
          },
        ],
      });
    },
    facts: {
      boxes: [{ ...GOOD_BOXES, rotation: 270, userUnit: 2 }],
      images: [placed(25)],
      colors: [BLACK, RGB],
    },
    poppler: { ignores: ['images'], because: 'pdfimages measures in units, not in points' },
  },
  "a sheet with printer's marks outside its trim box": {
    make: () =>
      sampleFile(new PdfBuilder(), {
        pages: [
          {
            boxes: '/MediaBox [0 0 680 880] /BleedBox [32 32 648 848] /TrimBox [40 40 640 840]',
            content: `${SQUARE}/All CS 1 SCN 0 40 m 20 40 l S 40 0 m 40 20 l S`,
            resources: '/ColorSpace << /All [/Separation /All /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 >>] >>',
          },
        ],
      }),
    facts: {
      boxes: [
        {
          ...GOOD_BOXES,
          mediaBox: [0, 0, 680, 880],
          cropBox: [0, 0, 680, 880],
          bleedBox: [32, 32, 648, 848],
          trimBox: [40, 40, 640, 840],
        },
      ],
      colors: [BLACK, color('cmyk', 'Separation')],
    },
  },
};
