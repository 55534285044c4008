import type { FileFacts } from '../../../../packages/file-reader/facts';
import { GOOD, pages } from '../../../../packages/file-reader/test/pdf/corpus-file';
import { NEEDS_OF_FAMILIES } from '../../../../src/catalog/domain/print-needs';
import { printDpi } from '../../../../src/files/domain/content-checks';
import { checkFile } from '../../../../src/files/domain/file-check';
import { type AreaNeeds, FILE_CHECKS } from '../../../../src/files/domain/file-findings';

const A3: AreaNeeds = { ...NEEDS_OF_FAMILIES.flat, size: { widthMm: 297, heightMm: 420 } };
const points = (mm: number) => (mm / 25.4) * 72;

/** The boxes of pages with a trim in the middle of artwork, both in millimetres. */
function boxes(
  [width, height]: readonly [number, number],
  over: Partial<FileFacts['boxes'][number]> & { bleed?: number } = {},
): FileFacts['boxes'][number] {
  const { bleed = 3, ...others } = over;
  const media = [0, 0, points(width + 2 * bleed), points(height + 2 * bleed)];
  return {
    pages: pages(1),
    mediaBox: media,
    cropBox: media,
    bleedBox: null,
    trimBox: [points(bleed), points(bleed), points(width + bleed), points(height + bleed)],
    rotation: 0,
    userUnit: 1,
    ...others,
  };
}
/** A page without a trim box. */
const untrimmed = (width: number, height: number) => boxes([width, height], { bleed: 0, trimBox: null });
const FITTING = boxes([297, 420]);

const checkPdf = (facts: Partial<FileFacts>, needs: Partial<AreaNeeds> = {}, further: readonly AreaNeeds[] = []) =>
  checkFile(
    {
      ...{ pageCount: 1, widthPx: null, heightPx: null, widthMm: 303, heightMm: 426 },
      facts: { ...GOOD, boxes: [FITTING], ...facts },
      unrendered: null,
    },
    { product: 'the poster', areas: [{ ...A3, ...needs }, ...further] },
  );
const checkImage = (
  widthPx: number,
  heightPx: number,
  needs: Partial<AreaNeeds> = {},
  over: Partial<NonNullable<FileFacts['image']>> = {},
) => {
  const measured = { widthPx, heightPx, orientation: 1, dpi: null, profile: null, alpha: false, animated: false };
  const image = { ...measured, model: 'rgb', ...over } as const;
  const facts = { ...GOOD, pdf: null, boxes: [], colors: [], image };
  const properties = { pageCount: 1, widthPx, heightPx, widthMm: null, heightMm: null, facts, unrendered: null };
  return checkFile(properties, { product: 'the poster', areas: [{ ...A3, ...needs }] });
};

describe('the page of a PDF for an A3 poster', () => {
  test.each([
    ['with a trim box and a bleed of 3 mm', FITTING],
    ['2 mm smaller, with a bleed', boxes([295, 418])],
    ['without a trim box and with a bleed of 3 mm', untrimmed(303, 426)],
    ['without a trim box and with a bleed of 10 mm', untrimmed(317, 440)],
    ['with printer’s marks', boxes([297, 420], { bleed: 30 })],
    ['drawn across and rotated', boxes([420, 297], { rotation: 90 })],
    ['in units of two points', { ...FITTING, ...halved(FITTING), userUnit: 2 }],
  ])('%s has no finding', (_what, page) => {
    expect(checkPdf({ boxes: [page] })).toEqual([]);
  });

  test.each([
    ['of A6', [105, 148], '105 × 148 mm'],
    ['of A4, which has the same shape', [210, 297], '210 × 297 mm'],
    ['of A2', [420, 594], '420 × 594 mm'],
    ['that is wider on two sides only', [317, 420], '317 × 420 mm'],
  ] as const)('%s has the wrong size', (_what, size, measured) => {
    expect(checkPdf({ boxes: [boxes(size)] })).toEqual([
      {
        code: 'page_size',
        severity: 'error',
        page: 1,
        measured,
        wanted: '297 × 420 mm',
        message: `Page 1 is ${measured}; the poster is 297 × 420 mm.`,
      },
    ]);
  });

  test('that is turned is printed turned, unless the product forbids it', () => {
    const across = { boxes: [boxes([420, 297])] };
    const message = 'Page 1 is 420 × 297 mm; the poster is 297 × 420 mm. It is printed turned by 90 degrees.';
    expect(checkPdf(across)).toMatchObject([{ code: 'orientation', severity: 'ok', message }]);
    expect(checkPdf(across, { turned: false })).toMatchObject([{ code: 'orientation', severity: 'error' }]);
  });

  test.each([
    ['of the trimmed size', boxes([297, 420], { bleed: 0 }), '0 mm', 'Page 1 has no bleed;'],
    ['with a narrow bleed', boxes([297, 420], { bleed: 2 }), '2 mm', 'Page 1 has a bleed of 2 mm;'],
    [
      'whose bleed box is narrower than its artwork',
      { ...FITTING, bleedBox: FITTING.trimBox },
      '0 mm',
      'Page 1 has no',
    ],
    ['without a trim box', untrimmed(297, 420), '0 mm', 'Page 1 has no bleed;'],
  ])('%s has a finding about its bleed', (_what, page, measured, message) => {
    const found = { code: 'bleed', severity: 'warning', measured, wanted: '3 mm' };
    expect(checkPdf({ boxes: [page] })).toMatchObject([{ ...found, message: expect.stringContaining(message) }]);
    expect(checkPdf({ boxes: [page] }, { bleedMm: 0 })).toEqual([]);
  });

  test('of any size has no finding when the product is not cut to the page', () => {
    expect(checkPdf({ boxes: [boxes([105, 148], { bleed: 0 })] }, { otherSize: true, bleedMm: 0 })).toEqual([]);
  });

  test('whose boxes could not be measured has the size that is known', () => {
    const unknown = { complete: false, problem: 'reading it takes too long', boxes: [], pdf: null };
    expect(checkPdf(unknown)).toMatchObject([{ code: 'not_measured', measured: 'reading it takes too long' }]);
  });
});

/** The boxes in units of two points. */
function halved({ mediaBox, cropBox, trimBox }: FileFacts['boxes'][number]) {
  const half = (box: readonly number[]) => box.map((side) => side / 2);
  return { mediaBox: half(mediaBox), cropBox: half(cropBox), trimBox: half(trimBox!) };
}

test('every page is checked, and a finding names its pages', () => {
  const a6 = { count: 12, ranges: [2, 4, 6, 8, 10].map((page) => ({ from: page, to: page })) };
  const found = checkPdf({
    boxes: [
      { ...FITTING, pages: pages(1) },
      boxes([105, 148], { pages: a6 }),
      boxes([210, 297], { pages: { count: 2, ranges: [{ from: 20, to: 21 }] } }),
      boxes([420, 594], { pages: { count: 1, ranges: [{ from: 30, to: 30 }] } }),
    ],
  });
  expect(found.map(({ page, message }) => [page, message.split(';')[0]])).toEqual([
    [2, 'Pages 2, 4, 6 and 9 more are 105 × 148 mm'],
    [20, 'Pages 20, 21 are 210 × 297 mm'],
    [30, 'Page 30 is 420 × 594 mm'],
  ]);
});

test('each page of a file for several print areas needs what its own area needs', () => {
  const label: AreaNeeds = { ...A3, size: { widthMm: 105, heightMm: 148 } };
  const both = { boxes: [{ ...FITTING, pages: pages(2) }] };
  expect(checkPdf(both, {}, [label])).toMatchObject([{ code: 'page_size', page: 2, wanted: '105 × 148 mm' }]);
  expect(checkPdf(both, {}, [A3])).toEqual([]);
});

test.each([
  [1790, 2516, []],
  [1600, 2262, ['warning']],
  [800, 1131, ['error']],
  [2516, 1790, ['ok']],
])('an image of %i x %i pixels for an A3 poster has the findings %j', (width, height, severities) => {
  expect(checkImage(width, height).map(({ severity }) => severity)).toEqual(severities);
});

const image = (dpi: number, over: Partial<FileFacts['images'][number]> = {}) =>
  ({
    pages: pages(1, 3),
    count: 1,
    kind: 'image',
    color: 'DeviceRGB',
    dpi,
    widthPx: 500,
    heightPx: 500,
    ...over,
  }) as const;
const color = (over: Partial<FileFacts['colors'][number]>): FileFacts['colors'][number] => ({
  pages: pages(1),
  model: 'cmyk',
  space: 'x',
  profile: null,
  colorants: [],
  maxInkPercent: null,
  ...over,
});
const pdf = (over: Partial<NonNullable<FileFacts['pdf']>>) => ({ pdf: { ...GOOD.pdf!, ...over } });
const font = (name: string) => ({ pages: pages(1), name, type: 'TrueType', embedded: false, subset: false });
const noted = (type: string, printed = true) => ({ annotations: [{ pages: pages(1), type, printed }] });

/** A file for each code and severity, and what it says. */
const FAULTS: readonly [code: string, severity: string, Partial<FileFacts>, Partial<AreaNeeds>, message: string][] = [
  ['page_size', 'error', { boxes: [boxes([105, 148])] }, {}, 'Page 1 is 105 × 148 mm'],
  ['orientation', 'ok', { boxes: [boxes([420, 297])] }, {}, 'It is printed turned'],
  ['orientation', 'error', { boxes: [boxes([420, 297])] }, { turned: false }, 'It must not be turned'],
  ['bleed', 'warning', { boxes: [untrimmed(297, 420)] }, {}, 'has no bleed'],
  ['resolution', 'warning', { images: [image(140)] }, {}, 'Page 3 has an image of 140 dpi'],
  ['resolution', 'error', { images: [image(60)] }, {}, 'needs at least 150 dpi'],
  ['rgb_colors', 'warning', { colors: [color({ model: 'rgb', profile: 'sRGB' })] }, { colors: ['cmyk'] }, 'RGB (sRGB)'],
  ['spot_colors', 'warning', { colors: [color({ model: 'spot', colorants: ['Gold'] })] }, {}, 'the spot colour Gold'],
  ['color_space', 'warning', { colors: [color({ model: 'lab' })] }, {}, 'colours in Lab'],
  [
    'ink_limit',
    'warning',
    { colors: [color({ maxInkPercent: 400 })] },
    {},
    '400 % of ink; the poster takes at most 330',
  ],
  ['transparency', 'error', { effects: [{ pages: pages(1), effect: 'alpha' }] }, { transparency: false }, 'Flatten'],
  ['overprint', 'warning', { effects: [{ pages: pages(1), effect: 'overprint' }] }, { overprint: false }, 'overprint'],
  ['fonts_not_embedded', 'error', { fonts: [font('Garamond')] }, {}, 'Page 1 uses the font Garamond'],
  ['annotations', 'warning', noted('Stamp'), {}, 'an annotation (Stamp) that is printed'],
  ['annotations', 'warning', noted('FreeText', false), {}, 'that is not printed'],
  [
    'not_rendered',
    'error',
    { damagedImages: [{ pages: pages(1, 7), damage: 'the image is truncated' }] },
    {},
    'Page 7 has an image that cannot be drawn: the image is truncated.',
  ],
  ['xfa_form', 'error', pdf({ xfa: true }), {}, 'Print the form into a new PDF.'],
  ['form_fields', 'warning', pdf({ formFields: 2 }), {}, '2 form fields'],
  ['hidden_layers', 'warning', pdf({ layers: [{ name: 'Die line', visible: false }] }), {}, 'Die line'],
  ['encrypted', 'warning', pdf({ encrypted: true }), {}, 'encrypted'],
  ['javascript', 'warning', pdf({ javaScript: true }), {}, 'JavaScript'],
  ['attachments', 'warning', pdf({ attachments: 1 }), {}, '1 attachment'],
  ['repaired', 'warning', pdf({ repaired: true }), {}, 'export the file again'],
  ['not_measured', 'warning', { complete: false, problem: 'page 2 cannot be read' }, {}, 'page 2 cannot be read'],
];

test.each(FAULTS)('a file with the fault %s (%s) has this finding only', (code, severity, facts, needs, message) => {
  expect(checkPdf(facts, needs)).toMatchObject([{ code, severity, message: expect.stringContaining(message) }]);
});

test('every severity of every check has a file above', () => {
  const seen = new Set([
    ...FAULTS.map(([code, severity]) => `${code} ${severity}`),
    'animation warning',
    'not_rendered warning',
  ]);
  const known = Object.entries(FILE_CHECKS).flatMap(([code, { severities }]) => severities.map((s) => `${code} ${s}`));
  expect([...seen].sort()).toEqual([...known].sort());
});

test.each<[string, Partial<FileFacts>]>([
  ['a link and a form field without content', { annotations: noted('Link').annotations }],
  ['a standard font', { fonts: [font('Helvetica-Bold')] }],
  ['a visible layer', pdf({ layers: [{ name: 'Text', visible: true }] })],
  ['registration marks', { colors: [color({ model: 'spot', colorants: ['All'] })] }],
  ['a line drawn as an image', { images: [image(20, { widthPx: 900, heightPx: 1 })] }],
  ['colours that are unknown', { colors: [color({ model: 'unknown' })] }],
  [
    'transparency and overprint',
    {
      effects: [
        { pages: pages(1), effect: 'alpha' },
        { pages: pages(1), effect: 'overprint' },
      ],
    },
  ],
])('a file with %s has no finding', (_what, facts) => {
  expect(checkPdf(facts)).toEqual([]);
});

describe('the shape of an image for an A3 poster', () => {
  const codes = (...image: Parameters<typeof checkImage>) =>
    checkImage(...image).map(({ code, severity }) => `${code} ${severity}`);

  test.each([
    ['of the poster with its bleed', 3579, 5032, {}],
    ['of the trimmed poster, which is 0.6 % narrower', 3508, 4961, {}],
    ['that is 1.7 % wider', 3640, 5032, {}],
    ['of the poster with its bleed, by its own resolution', 3579, 5032, { dpi: 300 }],
    ['that names a resolution of the screen', 3508, 4961, { dpi: 72 }],
  ])('%s has no finding', (_what, width, height, image) => {
    expect(checkImage(width, height, {}, image)).toEqual([]);
  });

  test.each([
    ['a square', 4000, 4000],
    ['wider by 3 %', 3700, 5032],
    ['of a film', 3508, 5262],
  ])('%s has the wrong size', (_what, width, height) => {
    expect(checkImage(width, height)).toEqual([
      {
        code: 'page_size',
        severity: 'error',
        page: 1,
        measured: `${width} × ${height} pixels`,
        wanted: '297 × 420 mm',
        message:
          `The image is ${width} × ${height} pixels; the poster is 297 × 420 mm, which is another shape. ` +
          'Its sides would be cut off.',
      },
    ]);
  });

  test('is any on a product that is not cut to it', () => {
    expect(codes(4000, 4000, { otherSize: true })).toEqual([]);
  });

  test('that is turned is printed turned, unless the product forbids it', () => {
    expect(codes(5032, 3579)).toEqual(['orientation ok']);
    expect(codes(5032, 3579, { turned: false })).toEqual(['orientation error']);
    expect(codes(5032, 5032, { turned: false })).toEqual(['page_size error']);
  });

  test('has no bleed when its own resolution gives the trimmed size', () => {
    expect(checkImage(3508, 4961, {}, { dpi: 300 })).toMatchObject([
      {
        code: 'bleed',
        severity: 'warning',
        measured: '0 mm',
        wanted: '3 mm',
        message: expect.stringMatching(/^The image has no bleed;/),
      },
    ]);
    expect(codes(3508, 4961, { bleedMm: 0 }, { dpi: 300 })).toEqual([]);
  });

  test('has no bleed when only the trimmed size has its aspect ratio', () => {
    const bookmark = { size: { widthMm: 50, heightMm: 200 } };
    expect(codes(600, 2400, bookmark)).toEqual(['bleed warning']);
    expect(codes(672, 2472, bookmark)).toEqual([]);
    // Its own resolution says that it has the bleed.
    expect(codes(672, 2472, bookmark, { dpi: 304.8 })).toEqual([]);
  });
});

test.each([
  ['failed', 'error', 'cannot be drawn'],
  ['slow', 'warning', 'takes too long to be drawn'],
  ['large', 'warning', 'is too large to be drawn'],
] as const)('a file whose rendering is %s has the finding not_rendered (%s)', (unrendered, severity, says) => {
  const file = { pageCount: 1, widthPx: null, heightPx: null, widthMm: 303, heightMm: 426 };
  const facts = { ...GOOD, boxes: [FITTING] };
  expect(checkFile({ ...file, facts, unrendered }, { product: 'the poster', areas: [A3] })).toMatchObject([
    { code: 'not_rendered', severity, page: 1, message: expect.stringContaining(`The first page ${says}`) },
  ]);
});

test('an animated image has a warning', () => {
  expect(checkImage(1790, 2516, {}, { animated: true })).toMatchObject([
    {
      code: 'animation',
      severity: 'warning',
      page: 1,
      message: 'The image is animated. Its default image is printed.',
    },
  ]);
});

test('an image is checked for colours and transparency', () => {
  const needs = { colors: ['cmyk'], transparency: false };
  expect(checkImage(1790, 2516, needs, { profile: 'sRGB', alpha: true })).toMatchObject([
    { code: 'transparency', page: 1 },
    { code: 'rgb_colors', message: expect.stringContaining('The image has colours in RGB (sRGB)') },
  ]);
});

test('many findings of one kind are cut, and errors come first', () => {
  const fonts = Array.from({ length: 40 }, (_, index) => font(`Font${index}`));
  const found = checkPdf({ fonts, images: [image(140), image(60)] });
  expect(found.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
    'resolution error',
    ...Array.from({ length: 5 }, () => 'fonts_not_embedded error'),
    'resolution warning',
  ]);
});

describe('the resolution of an image on paper', () => {
  test('is in dots per inch: pixels are whole', () => {
    const cover = { widthMm: 210, heightMm: 297, fitMethod: 'cover' } as const;
    expect(printDpi({ widthPx: 2480, heightPx: 3508 }, cover)).toBe(300);
  });

  test.each([
    ['cover', 100],
    ['stretch', 100],
    ['contain', 300],
  ] as const)('depends on how an image of another shape is fitted: %s has %i dpi', (fitMethod, dpi) => {
    expect(printDpi({ widthPx: 3000, heightPx: 1000 }, { widthMm: 254, heightMm: 254, fitMethod })).toBe(dpi);
  });

  test.each([
    [
      'is that at the size of the product with its bleed',
      [1754, 2480, {}],
      '147 dpi at its size on paper, 303 × 426 mm',
    ],
    ['is the same when the image is printed turned', [2480, 1754, {}], '147 dpi at its size on paper, 426 × 303 mm'],
    [
      'of an image that ends at the trim has no bleed',
      [1600, 2263, { dpi: 137 }],
      '137 dpi at its size on paper, 297 × 420 mm',
    ],
  ] as const)('%s', (_rule, [width, height, image], says) => {
    const found = checkImage(width, height, {}, image).filter(({ code }) => code === 'resolution');
    expect(found).toMatchObject([{ severity: 'warning', message: expect.stringContaining(says) }]);
  });
});
