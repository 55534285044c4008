import type { FileFacts } from '../../facts';
import { BLACK, blackOn, type CorpusFile, color, GOOD_BOXES, pages, placed, RGB } from './corpus-file';
import {
  BOXES,
  iccProfile,
  imageObject,
  PdfBuilder,
  type Reference,
  type SampleFile,
  SQUARE,
  sampleFile,
} from './pdf-builder';

/** Files with images. An image of 100 pixels on 72 points has 100 dpi. */

/** An image of 100 x 100 pixels under the name I, in a page with this content. */
function withImage(content: string, options: { file?: SampleFile; dict?: string } = {}): () => Buffer {
  return () => {
    const pdf = new PdfBuilder();
    const image = imageObject(pdf, 100, 100, { dict: options.dict ?? '' });
    return sampleFile(pdf, {
      ...options.file,
      pages: [{ content: SQUARE + content, resources: `/XObject << /I ${image} >>` }],
    });
  };
}

const one = (content: string, ...images: FileFacts['images']): CorpusFile => ({
  make: withImage(content),
  facts: { images, colors: images.length > 0 ? [BLACK, RGB] : [BLACK] },
});

/** A page that paints a form. `content` is that of the form, which has the image I and may paint itself as Self. */
function formFile(place: string, content: string, dict = '', pageCount = 1): Buffer {
  const pdf = new PdfBuilder();
  const image = imageObject(pdf, 100, 100);
  const form = pdf.reserve();
  const resources = `/Resources << /XObject << /I ${image} /Self ${form} >> >>`;
  pdf.stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 600 800] ${resources} ${dict}`, form);
  const page = { content: SQUARE + place, resources: `/XObject << /F ${form} >>` };
  return sampleFile(pdf, { pages: Array.from({ length: pageCount }, () => page) });
}

/** An image on a layer that is not shown. `marked` is the layer of the content, or a rule about it. */
function layered(off: boolean, marked: (layer: Reference) => string): Buffer {
  const pdf = new PdfBuilder();
  const image = imageObject(pdf, 100, 100);
  const layer = pdf.add('<< /Type /OCG /Name (Proof) >>');
  const resources = `/XObject << /I ${image} >> /Properties << /L ${marked(layer)} >>`;
  const content = `${SQUARE}/OC /L BDC q 144 0 0 144 0 0 cm /I Do Q EMC\n`;
  return sampleFile(pdf, {
    pages: [{ content, resources }],
    catalog: `/OCProperties << /OCGs [${layer}] /D << ${off ? `/OFF [${layer}]` : ''} /Order [${layer}] >> >>`,
  });
}

const layerFacts = (visible: boolean) => ({ pdf: { layers: [{ name: 'Proof', visible }] } });
const NO_LAYERS = { ignores: ['images'], because: 'pdfimages lists images of hidden layers' } as const;

/** An image in a pattern, on a page behind others. */
function tiling(paintType: 1 | 2, pagesBefore = 0): Buffer {
  const pdf = new PdfBuilder();
  const image = imageObject(pdf, 100, 100);
  const pattern = pdf.stream(
    'q 72 0 0 72 0 0 cm /I Do Q',
    `/PatternType 1 /PaintType ${paintType} /TilingType 1 /BBox [0 0 72 72] /XStep 72 /YStep 72 /Matrix [2 0 0 2 0 0]
     /Resources << /XObject << /I ${image} >> >>`,
  );
  const content = `${SQUARE}/Pattern cs /P scn 0 0 300 300 re f 300 300 200 200 re f\n`;
  const tiled = { content, resources: `/Pattern << /P ${pattern} >>` };
  return sampleFile(pdf, { pages: [...Array.from({ length: pagesBefore }, () => ({})), tiled] });
}

const inlineImage = (dict: string, data: string) => `q 72 0 0 72 0 0 cm BI ${dict} ID ${data} EI Q\n`;

/** An image with other entries than those of a plain one. */
function imageWith(space: string, components: number, dict = ''): () => Buffer {
  return () => {
    const pdf = new PdfBuilder();
    const image = imageObject(pdf, 100, 100, { space, components, dict });
    const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q\n`;
    return sampleFile(pdf, { pages: [{ content, resources: `/XObject << /I ${image} >>` }] });
  };
}

const TINT = '<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 1 1 0] >>';

/** An image of 100 dpi in a colour space of its own. */
function withSpace(
  space: (pdf: PdfBuilder) => string,
  components: number,
  fact: FileFacts['colors'][number],
): CorpusFile {
  return {
    make: () => {
      const pdf = new PdfBuilder();
      const image = imageObject(pdf, 100, 100, { space: space(pdf), components });
      const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q\n`;
      return sampleFile(pdf, { pages: [{ content, resources: `/XObject << /I ${image} >>` }] });
    },
    facts: { images: [placed(100, { color: fact.space })], colors: [BLACK, fact] },
  };
}

/** A JPEG 2000 image without a colour space in PDF. */
function jpeg2000(data: Buffer | string, fact: FileFacts['colors'][number]): CorpusFile {
  return {
    make: () => {
      const pdf = new PdfBuilder();
      const dict = '/Type /XObject /Subtype /Image /Width 100 /Height 100 /Filter /JPXDecode';
      const resources = `/XObject << /I ${pdf.stream(data, dict)} >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`, resources }] });
    },
    facts: {
      images: [placed(100, { color: 'JPXDecode' })],
      damagedImages: [{ pages: pages(1), damage: 'the image has no pixels' }],
      colors: [BLACK, fact],
    },
  };
}

/** Start of a JPEG 2000 file with a colour specification. */
function colorBox(content: Buffer): Buffer {
  const head = Buffer.from('0000000c6a5020200d0a870a00000000636f6c72', 'hex');
  head.writeUInt32BE(content.length + 8, 12);
  return Buffer.concat([head, content]);
}

/** A stamp of 144 points whose appearance has 72 points. */
function stamped(flags: string): Buffer {
  const pdf = new PdfBuilder();
  const resources = `/Resources << /XObject << /I ${imageObject(pdf, 100, 100)} >> >>`;
  const form = pdf.stream('q 72 0 0 72 0 0 cm /I Do Q', `/Type /XObject /Subtype /Form /BBox [0 0 72 72] ${resources}`);
  const stamp = pdf.add(`<< /Type /Annot /Subtype /Stamp ${flags} /Rect [100 100 244 244] /AP << /N ${form} >> >>`);
  return sampleFile(pdf, { pages: [{ entries: `/Annots [${stamp}]` }] });
}

export const imageCases: Readonly<Record<string, CorpusFile>> = {
  'an image of 300 dpi': one('q 24 0 0 24 100 100 cm /I Do Q\n', placed(300)),
  'an image of 40 dpi': one('q 180 0 0 180 100 100 cm /I Do Q\n', placed(40)),
  'an image that is turned by 30 degrees': one('q 62.3538 36 -36 62.3538 200 100 cm /I Do Q\n', placed(100)),
  'an image that is mirrored': one('q -72 0 0 -72 200 200 cm /I Do Q\n', placed(100)),
  'an image that is stretched in one direction': one('q 72 0 0 288 100 100 cm /I Do Q\n', placed(25)),
  'an image that is scaled in steps': one('q 2 0 0 2 10 10 cm 3 0 0 3 0 0 cm 24 0 0 24 5 5 cm /I Do Q\n', placed(50)),
  'an image that is placed in two sizes': one(
    'q 72 0 0 72 0 0 cm /I Do Q q 144 0 0 144 0 0 cm /I Do Q q 144 0 0 144 99 99 cm /I Do Q\n',
    placed(50, { count: 2 }),
    placed(100),
  ),
  'an image outside the page': {
    ...one('q 720 0 0 720 601 0 cm /I Do Q\n'),
    poppler: { ignores: ['images'], because: 'pdfimages lists images outside the page' },
  },
  'an image of which a corner is on the page': one('q 72 0 0 72 590 790 cm /I Do Q\n', placed(100)),
  'a line that is drawn as an image, and an image of the same resolution': {
    make: () => {
      const pdf = new PdfBuilder();
      const resources = `/XObject << /L ${imageObject(pdf, 100, 1)} /I ${imageObject(pdf, 100, 100)} >>`;
      const content = `${SQUARE}q 144 0 0 1.44 0 0 cm /L Do Q q 144 0 0 144 0 0 cm /I Do Q\n`;
      return sampleFile(pdf, { pages: [{ content, resources }] });
    },
    facts: { images: [placed(50, { heightPx: 1 }), placed(50)], colors: [BLACK, RGB] },
  },
  'an image that is not used': one('q Q\n'),
  'an image on a page with a user unit': {
    make: () => {
      const pdf = new PdfBuilder();
      const resources = `/XObject << /I ${imageObject(pdf, 100, 100)} >>`;
      const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`;
      return sampleFile(pdf, { pages: [{ boxes: `${BOXES} /UserUnit 4`, content, resources }] });
    },
    facts: { boxes: [{ ...GOOD_BOXES, userUnit: 4 }], images: [placed(25)], colors: [BLACK, RGB] },
    poppler: { ignores: ['images'], because: 'pdfimages measures in units, not in points' },
  },
  'an image on the last page only': {
    pageCount: 3,
    make: () => {
      const pdf = new PdfBuilder();
      const resources = `/XObject << /I ${imageObject(pdf, 100, 100)} >>`;
      return sampleFile(pdf, { pages: [{}, {}, { content: `${SQUARE}q 180 0 0 180 0 0 cm /I Do Q`, resources }] });
    },
    facts: {
      boxes: [{ ...GOOD_BOXES, pages: pages(3) }],
      images: [placed(40, { pages: pages(1, 3) })],
      colors: [blackOn(3), { ...RGB, pages: pages(1, 3) }],
    },
  },
  'an image in a form with a matrix': {
    make: () => formFile('q 2 0 0 2 0 0 cm /F Do Q\n', 'q 36 0 0 36 10 10 cm /I Do Q', '/Matrix [0.5 0 0 0.5 50 50]'),
    facts: { images: [placed(200)], colors: [BLACK, RGB] },
  },
  'an image in a form on three pages': {
    pageCount: 3,
    make: () => formFile('/F Do\n', 'q 72 0 0 72 10 10 cm /I Do Q', '', 3),
    facts: {
      boxes: [{ ...GOOD_BOXES, pages: pages(3) }],
      images: [placed(100, { pages: pages(3), count: 3 })],
      colors: [blackOn(3), { ...RGB, pages: pages(3) }],
    },
  },
  'a form that is painted in two sizes': {
    make: () => formFile('/F Do q 2 0 0 2 0 0 cm /F Do Q\n', 'q 72 0 0 72 10 10 cm /I Do Q'),
    facts: { images: [placed(50), placed(100)], colors: [BLACK, RGB] },
  },
  'an image in a form in a form': {
    make: () => {
      const pdf = new PdfBuilder();
      const form = (content: string, objects: string) =>
        pdf.stream(
          content,
          `/Type /XObject /Subtype /Form /BBox [0 0 900 900] /Resources << /XObject << ${objects} >> >>`,
        );
      const inner = form('q 36 0 0 36 0 0 cm /I Do Q', `/I ${imageObject(pdf, 100, 100)}`);
      const outer = form('q 2 0 0 2 0 0 cm /F Do Q', `/F ${inner}`);
      const content = `${SQUARE}q 2 0 0 2 0 0 cm /F Do Q`;
      return sampleFile(pdf, { pages: [{ content, resources: `/XObject << /F ${outer} >>` }] });
    },
    facts: { images: [placed(50)], colors: [BLACK, RGB] },
  },
  'a form that uses the resources of its page': {
    make: () => {
      const pdf = new PdfBuilder();
      const form = pdf.stream('q 72 0 0 72 0 0 cm /I Do Q', '/Type /XObject /Subtype /Form /BBox [0 0 600 800]');
      const resources = `/XObject << /F ${form} /I ${imageObject(pdf, 100, 100)} >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}/F Do`, resources }] });
    },
    facts: { images: [placed(100)], colors: [BLACK, RGB] },
  },
  'a form that paints itself': {
    make: () => formFile('/F Do\n', '/Self Do q 72 0 0 72 10 10 cm /I Do Q /Self Do'),
    facts: { images: [placed(100)], colors: [BLACK, RGB] },
  },
  'an inline image': {
    make: () =>
      sampleFile(new PdfBuilder(), {
        pages: [{ content: SQUARE + inlineImage('/W 4 /H 4 /BPC 8 /CS /G', 'xxxxxxxxxxxxxxxx') }],
      }),
    facts: {
      images: [placed(4, { kind: 'inline', color: 'DeviceGray', widthPx: 4, heightPx: 4 })],
      colors: [BLACK, { ...RGB, model: 'gray', space: 'DeviceGray' }],
    },
  },
  'an inline image whose pixels look like its end': {
    make: () =>
      sampleFile(new PdfBuilder(), {
        pages: [{ content: `${inlineImage('/W 4 /H 4 /BPC 8 /CS /G', 'xx EI Q 1 0 0 RG')}${SQUARE}` }],
      }),
    facts: {
      images: [placed(4, { kind: 'inline', color: 'DeviceGray', widthPx: 4, heightPx: 4 })],
      colors: [{ ...RGB, model: 'gray', space: 'DeviceGray' }, BLACK],
    },
  },
  'an inline image with long names and a filter': {
    make: () =>
      sampleFile(new PdfBuilder(), {
        pages: [
          {
            content:
              SQUARE +
              inlineImage(
                '/Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /ASCIIHexDecode',
                `${'00'.repeat(12)}>`,
              ),
          },
        ],
      }),
    facts: {
      images: [placed(2, { kind: 'inline', color: 'DeviceRGB', widthPx: 2, heightPx: 2 })],
      colors: [BLACK, RGB],
    },
  },
  'a stencil for a colour': {
    make: () => {
      const pdf = new PdfBuilder();
      const dict = '/Type /XObject /Subtype /Image /Width 80 /Height 80 /ImageMask true /BitsPerComponent 1';
      const resources = `/XObject << /I ${pdf.flate(Buffer.alloc(800), dict)} >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}1 0 0 rg q 72 0 0 72 0 0 cm /I Do Q`, resources }] });
    },
    facts: {
      images: [placed(80, { kind: 'mask', widthPx: 80, heightPx: 80 })],
      colors: [BLACK, RGB],
    },
  },
  'an image with a soft mask of a lower resolution': {
    make: () => {
      const pdf = new PdfBuilder();
      const mask = imageObject(pdf, 10, 10, { space: '/DeviceGray', components: 1 });
      const image = imageObject(pdf, 100, 100, { dict: `/SMask ${mask}` });
      const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`;
      return sampleFile(pdf, { pages: [{ content, resources: `/XObject << /I ${image} >>` }] });
    },
    facts: {
      images: [placed(100)],
      colors: [BLACK, RGB],
      effects: [{ pages: pages(1), effect: 'soft_mask' }],
    },
  },
  'an image in a tiling pattern': {
    make: () => tiling(1),
    facts: { images: [placed(50)], colors: [BLACK, RGB] },
    poppler: { ignores: ['images'], because: 'pdfimages does not list images of patterns' },
  },
  'an image on a hidden layer': {
    make: () => layered(true, (layer) => layer),
    facts: layerFacts(false),
    poppler: NO_LAYERS,
  },
  'an image on a visible layer': {
    make: () => layered(false, (layer) => layer),
    facts: { ...layerFacts(true), images: [placed(50)], colors: [BLACK, RGB] },
  },
  'an image on layers of which none is visible': {
    make: () => layered(true, (layer) => `<< /Type /OCMD /OCGs [${layer}] /P /AnyOn >>`),
    facts: layerFacts(false),
    poppler: NO_LAYERS,
  },
  'an image that is shown while a layer is hidden': {
    make: () => layered(true, (layer) => `<< /Type /OCMD /OCGs [${layer}] /P /AnyOff >>`),
    facts: { ...layerFacts(false), images: [placed(50)], colors: [BLACK, RGB] },
  },
  'an image that is hidden while a layer is shown': {
    make: () => layered(false, (layer) => `<< /Type /OCMD /OCGs [${layer}] /P /AllOff >>`),
    facts: layerFacts(true),
    poppler: NO_LAYERS,
  },
  'an image of indexed colours': {
    make: imageWith('[/Indexed /DeviceRGB 1 <000000ffffff>]', 1),
    facts: { images: [placed(100)], colors: [BLACK, RGB] },
  },
  'a CMYK image': {
    make: imageWith('/DeviceCMYK', 4),
    facts: { images: [placed(100, { color: 'DeviceCMYK' })] },
  },
  'a Lab image': {
    make: imageWith('[/Lab << /WhitePoint [0.9505 1 1.089] >>]', 3),
    facts: { images: [placed(100, { color: 'Lab' })], colors: [BLACK, { ...RGB, model: 'lab', space: 'Lab' }] },
  },
  'a JPEG 2000 image that does not tell its colours': jpeg2000('no pixels', color('unknown', 'JPXDecode')),
  'a JPEG 2000 image of CMYK': jpeg2000(colorBox(Buffer.from([1, 0, 0, 0, 0, 0, 12])), color('cmyk', 'JPXDecode')),
  'a JPEG 2000 image with a profile': jpeg2000(
    colorBox(Buffer.concat([Buffer.from([2, 0, 0]), iccProfile('GRAY', 'Dot Gain 20%')])),
    color('gray', 'JPXDecode', { profile: 'Dot Gain 20%' }),
  ),
  'an image with a profile': withSpace(
    (pdf) => `[/ICCBased ${pdf.flate(iccProfile('RGB ', 'Adobe RGB (1998)'), '/N 3')}]`,
    3,
    color('rgb', 'ICCBased', { profile: 'Adobe RGB (1998)' }),
  ),
  'an image of a spot colour': withSpace(
    () => `[/Separation /Gold /DeviceCMYK ${TINT}]`,
    1,
    color('spot', 'Separation', { colorants: ['Gold'] }),
  ),
  'an image of several inks': withSpace(
    () => `[/DeviceN [/Black /Gold] /DeviceCMYK ${TINT}]`,
    2,
    color('spot', 'DeviceN', { colorants: ['Gold'] }),
  ),
  'an image of indexed spot colours': withSpace(
    () => `[/Indexed [/Separation /Gold /DeviceCMYK ${TINT}] 1 <00ff>]`,
    1,
    color('spot', 'Separation', { colorants: ['Gold'] }),
  ),
  'an image of calibrated colours': withSpace(
    () => '[/CalRGB << /WhitePoint [0.9505 1 1.089] >>]',
    3,
    color('rgb', 'CalRGB'),
  ),
  'a grey image': withSpace(() => '/DeviceGray', 1, color('gray', 'DeviceGray')),
  'an image of black and white': {
    make: () => {
      const pdf = new PdfBuilder();
      const dict = '/Type /XObject /Subtype /Image /Width 104 /Height 100 /BitsPerComponent 1 /ColorSpace /DeviceGray';
      const resources = `/XObject << /I ${pdf.flate(Buffer.alloc(1300), dict)} >>`;
      return sampleFile(pdf, { pages: [{ content: `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`, resources }] });
    },
    facts: {
      images: [placed(100, { color: 'DeviceGray', widthPx: 104 })],
      colors: [BLACK, color('gray', 'DeviceGray')],
    },
  },
  'an image with a stencil as its mask': {
    make: () => {
      const pdf = new PdfBuilder();
      const stencil = '/Type /XObject /Subtype /Image /Width 8 /Height 8 /ImageMask true /BitsPerComponent 1';
      const image = imageObject(pdf, 100, 100, { dict: `/Mask ${pdf.flate(Buffer.alloc(8), stencil)}` });
      const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`;
      return sampleFile(pdf, { pages: [{ content, resources: `/XObject << /I ${image} >>` }] });
    },
    facts: { images: [placed(100)], colors: [BLACK, RGB] },
  },
  'an image with a colour as its mask': {
    make: withImage('q 72 0 0 72 0 0 cm /I Do Q\n', { dict: '/Mask [0 0 0 0 0 0]' }),
    facts: { images: [placed(100)], colors: [BLACK, RGB] },
  },
  'images in a tiling pattern on the last page only': {
    pageCount: 2,
    make: () => tiling(1, 1),
    facts: {
      boxes: [{ ...GOOD_BOXES, pages: pages(2) }],
      images: [placed(50, { pages: pages(1, 2) })],
      colors: [blackOn(2), { ...RGB, pages: pages(1, 2) }],
    },
    poppler: { ignores: ['images'], because: 'pdfimages does not list images of patterns' },
  },
  'an image that is printed with a stamp': {
    make: () => stamped('/F 4'),
    facts: {
      annotations: [{ pages: pages(1), type: 'Stamp', printed: true }],
      images: [placed(50)],
      colors: [BLACK, RGB],
    },
  },
  'an image of a stamp that is shown and not printed': {
    make: () => stamped(''),
    facts: { annotations: [{ pages: pages(1), type: 'Stamp', printed: false }] },
    poppler: { ignores: ['images'], because: 'pdfimages lists what is shown' },
  },
};
