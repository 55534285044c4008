import { randomBytes } from 'node:crypto';
import { loadImage } from '@napi-rs/canvas';
import { pngChunk } from '../../../sandbox/files/exhausting-files';
import { openImage } from '../open-image';
import { ANIMATION, type JpegMaking, jpegOf, jpegSegment, type PngMaking, pngOf } from './odd-images';
import { sampleImage } from './samples';

/** An image is accepted when all of its pixels are there, however it is made. */

const exif = (text: string) => jpegSegment(0xe1, Buffer.from(`Exif\0\0${text}`, 'latin1'));
/** EXIF with a thumbnail, which has an end marker of its own. */
const THUMBNAIL = exif(`II*\0\x08\0\0\0${sampleImage('jpeg', 160, 160).toString('latin1')}`);
const VIDEO = Buffer.concat([Buffer.from('MotionPhoto_Data'), Buffer.alloc(100_000, 'video')]);
const GRAY = [[1, 1]] as const;
const CMYK = [
  [1, 1],
  [1, 1],
  [1, 1],
  [1, 1],
] as const;

const JPEGS: Readonly<Record<string, JpegMaking>> = {
  'with colours at half the resolution': {},
  'with colours at the full resolution': {
    sampling: [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  },
  'with colours at a quarter of the width': {
    sampling: [
      [4, 1],
      [1, 1],
      [1, 1],
    ],
  },
  'with more brightness than one colour has': {
    sampling: [
      [2, 2],
      [2, 1],
      [1, 2],
    ],
  },
  grey: { sampling: GRAY },
  'grey in units of four blocks': { sampling: [[2, 2]] },
  CMYK: { sampling: CMYK },
  'of one pixel': { width: 1, height: 1 },
  'with restart markers': { restarts: 3 },
  'with a scan for each colour': { apart: true },
  'with a scan for each colour and restart markers': { apart: true, restarts: 5 },
  progressive: { progressive: true },
  'progressive, grey': { progressive: true, sampling: GRAY },
  'progressive, CMYK': { progressive: true, sampling: CMYK },
  'progressive, with restart markers': { progressive: true, restarts: 4 },
  'of extended coding': { frame: 0xc1 },
  'with fill bytes before each marker': { fill: 3 },
  'progressive, with fill bytes before each marker': { fill: 1, progressive: true },
  'with many EXIF blocks': { segments: [exif('II*\0'), exif('MM\0*'), THUMBNAIL, exif('')] },
  'without an end marker': { without: 'EOI' },
};

const PNGS: Readonly<Record<string, PngMaking>> = {
  ...Object.fromEntries(
    (
      [
        [0, 1],
        [0, 2],
        [0, 4],
        [0, 8],
        [0, 16],
        [2, 8],
        [2, 16],
        [3, 1],
        [3, 2],
        [3, 4],
        [3, 8],
        [4, 8],
        [4, 16],
        [6, 8],
        [6, 16],
      ] as const
    ).map(([colorType, depth]) => [`of colour type ${colorType} with ${depth} bits`, { colorType, depth }]),
  ),
  interlaced: { interlaced: true },
  'interlaced, with a bit for each pixel': { interlaced: true, colorType: 0, depth: 1 },
  'interlaced, of one pixel': { interlaced: true, width: 1, height: 1 },
  'interlaced, with 16 bits and alpha': { interlaced: true, colorType: 6, depth: 16 },
  'with many chunks of pixels': { pixels: (data) => Array.from(data, (byte) => Buffer.from([byte])) },
  'with an empty chunk of pixels': { pixels: (data) => [data, Buffer.alloc(0)] },
  'with texts': {
    before: [pngChunk('tEXt', Buffer.from('Title\0x'))],
    behind: [pngChunk('zTXt', Buffer.from('a\0\0'))],
  },
  animated: ANIMATION,
};

const GOOD: readonly (readonly [string, Buffer, 'image/jpeg' | 'image/png'])[] = [
  ...Object.entries(JPEGS).map(([name, making]) => [`a JPEG ${name}`, jpegOf(making), 'image/jpeg'] as const),
  ['a JPEG with a video behind it', Buffer.concat([jpegOf(), VIDEO]), 'image/jpeg'],
  ['a JPEG with another JPEG behind it', Buffer.concat([jpegOf(), jpegOf({ width: 9 })]), 'image/jpeg'],
  ['a JPEG with stray bytes before its end', withStray(jpegOf()), 'image/jpeg'],
  ...Object.entries(PNGS).map(([name, making]) => [`a PNG ${name}`, pngOf(making), 'image/png'] as const),
  ['a PNG with data behind it', Buffer.concat([pngOf(), VIDEO]), 'image/png'],
];

function withStray(jpeg: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(200), jpeg.subarray(-2)]);
}

describe('an image that is whole', () => {
  // What Skia draws is no proof: it draws missing parts in grey. It shows that the images of this test are no nonsense.
  test.each(GOOD)('is %s', async (_name, bytes, type) => {
    const opened = openImage(bytes, type);
    await opened.decode();
    const { width, height } = await loadImage(bytes);
    expect(opened.properties).toMatchObject({ widthPx: width, heightPx: height });
    expect(await opened.render(100)).not.toBeNull();
  });
});

/** Returns the image up to a share of its bytes, and as a file that is filled up with zeros. */
function cuts(bytes: Buffer): Buffer[] {
  const shares = [0.3, 0.5, 0.7, 0.9, 0.98];
  return shares.flatMap((share) => {
    const part = bytes.subarray(0, Math.floor(bytes.length * share));
    const isJpeg = bytes[0] === 0xff;
    const ends = [
      Buffer.alloc(0),
      isJpeg ? Buffer.from('ffd9', 'hex') : bytes.subarray(-12),
      Buffer.alloc(bytes.length),
    ];
    return ends.map((end) => Buffer.concat([part, end]));
  });
}

const refusalOf = async (bytes: Buffer, type: 'image/jpeg' | 'image/png') => {
  try {
    await openImage(bytes, type).decode();
  } catch (error) {
    expect(error).toMatchObject({ name: 'UnreadableFile' });
    return (error as Error).message;
  }
  return 'accepted';
};

describe('an image that is not whole', () => {
  test.each<[string, JpegMaking, string]>([
    ['without its last blocks', { missing: 1 }, 'the image is truncated'],
    ['without its last blocks, progressive', { missing: 1, progressive: true }, 'the image is truncated'],
    ['without its last scan', { without: 'last scan', progressive: true }, 'the image is truncated'],
    ['without the scan of a colour', { without: 'last scan', apart: true }, 'the image is truncated'],
    ['without a scan', { without: 'last scan' }, 'the image has no pixels'],
    ['without quantization tables', { without: 'DQT' }, 'the image has no quantization tables'],
    ['without Huffman tables', { without: 'DHT' }, 'the image has no Huffman tables'],
    [
      'of arithmetic coding',
      { frame: 0xc9 },
      'the image has a rare kind of JPEG coding: lossless, hierarchical or arithmetic',
    ],
    ['without a size', { width: 0 }, 'the image has no size'],
  ])('is a JPEG %s', async (_name, making, reason) => {
    expect(await refusalOf(jpegOf(making), 'image/jpeg')).toBe(reason);
  });

  test.each<[string, PngMaking, string]>([
    ['with a third of its rows', { rows: 1 / 3 }, 'the image is truncated'],
    ['without a row', { rows: 0.99 }, 'the image is truncated'],
    ['without compressed data', { pixels: () => [Buffer.alloc(0)] }, 'the image is truncated'],
    ['with garbage for pixels', { pixels: () => [Buffer.alloc(99, 'x')] }, 'the image is damaged'],
    ['without pixels', { pixels: () => [] }, 'the image has no pixels'],
    ['of three bits', { depth: 3 }, 'no PNG has the colour type 2 with 3 bits'],
    ['without its palette', { colorType: 3, palette: false }, 'the image has no palette'],
    ['without a size', { width: 0 }, 'the image has no size'],
  ])('is a PNG %s', async (_name, making, reason) => {
    expect(await refusalOf(pngOf(making), 'image/png')).toContain(reason);
  });

  test('is each of them that a transfer has cut, also behind a thumbnail with an end of its own', async () => {
    const progressive = jpegOf({ progressive: true });
    const whole = [
      jpegOf({ segments: [THUMBNAIL] }),
      progressive,
      jpegOf({ restarts: 2 }),
      pngOf(),
      pngOf({ interlaced: true }),
    ];
    for (const bytes of [...whole, sampleImage('jpeg', 300, 300), sampleImage('png', 300, 300)]) {
      const type = bytes[0] === 0xff ? 'image/jpeg' : 'image/png';
      for (const cut of cuts(bytes)) expect(await refusalOf(cut, type)).not.toBe('accepted');
    }
  });

  test('has a reason whatever its bytes are', async () => {
    for (let count = 0; count < 500; count += 1) {
      for (const [bytes, type] of [
        [jpegOf({ width: 17, progressive: count % 2 === 0 }), 'image/jpeg'],
        [pngOf({ width: 5, interlaced: count % 2 === 0 }), 'image/png'],
      ] as const) {
        const noise = Buffer.from(bytes);
        for (const byte of randomBytes(5)) noise[Math.floor((byte / 256) * noise.length)] = randomBytes(1)[0]!;
        expect(typeof (await refusalOf(noise, type))).toBe('string');
      }
    }
  });
});
