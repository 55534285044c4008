import type { FileFacts } from '../../facts';
import { BLACK, type CorpusFile, color } from './corpus-file';
import { iccProfile, PdfBuilder, type Reference, SQUARE, sampleFile } from './pdf-builder';

/** Files with other colours than black. */

/** A page with this content behind the black square. `resources` may add objects. */
function page(content: string, resources: (pdf: PdfBuilder) => string = () => ''): () => Buffer {
  return () => {
    const pdf = new PdfBuilder();
    return sampleFile(pdf, { pages: [{ content: SQUARE + content, resources: resources(pdf) }] });
  };
}

const colored = (make: () => Buffer, ...colors: FileFacts['colors']): CorpusFile => ({
  make,
  facts: { colors: [BLACK, ...colors] },
});

const FILL = '0 0 10 10 re f\n';
const STROKE = '0 0 m 10 10 l S\n';
/** A function of one component with four, for spot colours. */
const TINT = '<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 1 1 0] >>';
const TINT_OF_MANY = (pdf: PdfBuilder, components: number): Reference =>
  pdf.stream(
    `{ ${'pop '.repeat(components)} 0 0 0 1 }`,
    `/FunctionType 4 /Domain [${'0 1 '.repeat(components)}] /Range [0 1 0 1 0 1 0 1]`,
  );
const separation = (name: string) => `[/Separation /${name} /DeviceCMYK ${TINT}]`;
const deviceN = (pdf: PdfBuilder, ...names: string[]) =>
  `[/DeviceN [${names.map((name) => `/${name}`).join(' ')}] /DeviceCMYK ${TINT_OF_MANY(pdf, names.length)}]`;
const icc = (pdf: PdfBuilder, profile: Buffer, components: number, version = '') =>
  `[/ICCBased ${pdf.flate(profile, `/N ${components} ${version}`)}]`;
const SHADING =
  '<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 100 0] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0] /C1 [1 1 1] >> >>';
const gradient = (from: string, to: string) => `<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [${from}] /C1 [${to}] >>`;
const cmykShading = (colors: string) =>
  `<< /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [0 0 100 0] /Function ${colors} >>`;
const ORANGE = color('spot', 'Separation', { colorants: ['PANTONE Orange 021 C'] });
const ORANGE_NAME = 'PANTONE#20Orange#20021#20C';

export const colorCases: Readonly<Record<string, CorpusFile>> = {
  'an RGB colour': colored(page(`1 0 0 rg ${FILL}`), color('rgb', 'DeviceRGB')),
  'an RGB colour by its space': colored(page(`/DeviceRGB cs 1 0 0 sc ${FILL}`), color('rgb', 'DeviceRGB')),
  'a grey line': colored(page(`0.5 G ${STROKE}`), color('gray', 'DeviceGray')),
  'the initial colour of a page': {
    make: () => sampleFile(new PdfBuilder(), { pages: [{ content: FILL }] }),
    facts: { colors: [color('gray', 'DeviceGray')] },
  },
  'a colour that is set and not used': colored(page(`q 1 0 0 rg 0 1 0 RG Q 0 0 10 10 re W n ${FILL}`)),
  'a line of a colour that is only set for fills': colored(page(`1 0 0 rg 0 0 0 1 K ${STROKE}`)),
  'too much ink': {
    make: page(`0.9 0.8 0.8 0.9 k ${FILL} 0 0 0 0.2 k ${FILL}`),
    facts: { colors: [{ ...BLACK, maxInkPercent: 340 }] },
  },
  'a spot colour': colored(
    page(`/S cs 1 scn ${FILL}`, () => `/ColorSpace << /S ${separation(ORANGE_NAME)} >>`),
    ORANGE,
  ),
  'a spot colour in indexed colours': colored(
    page(`/X cs 1 sc ${FILL}`, () => `/ColorSpace << /X [/Indexed ${separation(ORANGE_NAME)} 1 <00ff>] >>`),
    ORANGE,
  ),
  'registration marks': colored(
    page(`/S CS 1 SCN ${STROKE}`, () => `/ColorSpace << /S ${separation('All')} >>`),
    color('cmyk', 'Separation'),
  ),
  'process inks as DeviceN': colored(
    page(`/N cs 1 0 scn ${FILL}`, (pdf) => `/ColorSpace << /N ${deviceN(pdf, 'Cyan', 'Black')} >>`),
    color('cmyk', 'DeviceN', { maxInkPercent: 100 }),
  ),
  'spot colours as DeviceN': colored(
    page(`/N cs 1 0 1 scn ${FILL}`, (pdf) => `/ColorSpace << /N ${deviceN(pdf, 'Cyan', 'Gold', 'Varnish')} >>`),
    color('spot', 'DeviceN', { colorants: ['Gold', 'Varnish'] }),
  ),
  'a Lab colour': colored(
    page(`/L cs 50 20 20 sc ${FILL}`, () => '/ColorSpace << /L [/Lab << /WhitePoint [0.9505 1 1.089] >>] >>'),
    color('lab', 'Lab'),
  ),
  'a calibrated grey': colored(
    page(`/C cs 0.5 sc ${FILL}`, () => '/ColorSpace << /C [/CalGray << /WhitePoint [0.9505 1 1.089] >>] >>'),
    color('gray', 'CalGray'),
  ),
  'an RGB profile of version 2': colored(
    page(
      `/P cs 1 0 0 scn ${FILL}`,
      (pdf) => `/ColorSpace << /P ${icc(pdf, iccProfile('RGB ', 'sRGB IEC61966-2.1'), 3)} >>`,
    ),
    color('rgb', 'ICCBased', { profile: 'sRGB IEC61966-2.1' }),
  ),
  'an RGB profile of version 4': colored(
    page(
      `/P cs 1 0 0 scn ${FILL}`,
      (pdf) => `/ColorSpace << /P ${icc(pdf, iccProfile('RGB ', 'Display P3', 4), 3)} >>`,
    ),
    color('rgb', 'ICCBased', { profile: 'Display P3' }),
  ),
  'a CMYK profile': colored(
    page(
      `/P cs 1 0.5 0.5 0 scn ${FILL}`,
      (pdf) => `/ColorSpace << /P ${icc(pdf, iccProfile('CMYK', 'PSO Coated v3'), 4)} >>`,
    ),
    color('cmyk', 'ICCBased', { profile: 'PSO Coated v3', maxInkPercent: 200 }),
  ),
  'a damaged profile': colored(
    page(`/P cs 1 0 0 scn ${FILL}`, (pdf) => `/ColorSpace << /P ${icc(pdf, Buffer.from('no profile'), 3)} >>`),
    color('rgb', 'ICCBased'),
  ),
  'a default for RGB colours': colored(
    page(`1 0 0 rg ${FILL}`, (pdf) => `/ColorSpace << /DefaultRGB ${icc(pdf, iccProfile('RGB ', 'eciRGB v2'), 3)} >>`),
    color('rgb', 'ICCBased', { profile: 'eciRGB v2' }),
  ),
  'a colour space that names itself': colored(
    page(`/Loop cs 1 scn ${FILL}`, (pdf) => {
      const loop = pdf.reserve();
      pdf.add(`[/Indexed ${loop} 1 <00ff>]`, loop);
      return `/ColorSpace << /Loop ${loop} >>`;
    }),
  ),
  'too much ink as DeviceN': colored(
    page(`/N cs 0.9 0.8 0.8 scn ${FILL}`, (pdf) => `/ColorSpace << /N ${deviceN(pdf, 'Cyan', 'Yellow', 'Black')} >>`),
    color('cmyk', 'DeviceN', { maxInkPercent: 250 }),
  ),
  'black as a separation': colored(
    page(`/S cs 0.5 scn ${FILL}`, () => `/ColorSpace << /S ${separation('Black')} >>`),
    color('cmyk', 'Separation', { maxInkPercent: 50 }),
  ),
  'too much ink in a gradient': {
    make: page('/Sh sh\n', () => `/Shading << /Sh ${cmykShading(gradient('0 0 0 0', '0.9 0.8 0.8 0.9'))} >>`),
    facts: { colors: [{ ...BLACK, maxInkPercent: 340 }] },
  },
  'too much ink in the middle of a gradient': {
    make: page('/Sh sh\n', () => {
      const parts = `${gradient('0 0 0 0', '1 1 1 0')} ${gradient('1 1 1 0', '0 0 0 0')}`;
      const stitched = `<< /FunctionType 3 /Domain [0 1] /Bounds [0.5] /Encode [0 1 0 1] /Functions [${parts}] >>`;
      return `/Shading << /Sh ${cmykShading(stitched)} >>`;
    }),
    facts: { colors: [{ ...BLACK, maxInkPercent: 300 }] },
  },
  'an RGB shading': colored(
    page('/Sh sh\n', () => `/Shading << /Sh ${SHADING} >>`),
    color('rgb', 'DeviceRGB'),
  ),
  'an RGB shading as a pattern': colored(
    page(`/Pattern cs /P scn ${FILL}`, () => `/Pattern << /P << /PatternType 2 /Shading ${SHADING} >> >>`),
    color('rgb', 'DeviceRGB'),
  ),
  'a pattern that is coloured where it is used': colored(
    page(`/U cs 1 /P scn ${FILL}`, (pdf) => {
      const dict = '/PatternType 1 /PaintType 2 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>';
      return `/ColorSpace << /U [/Pattern ${separation(ORANGE_NAME)}] >> /Pattern << /P ${pdf.stream('0 0 5 5 re f', dict)} >>`;
    }),
    ORANGE,
  ),
};
