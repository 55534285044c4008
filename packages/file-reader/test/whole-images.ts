import { pngChunk } from '../../../sandbox/files/exhausting-files';
import { ANIMATION, type JpegMaking, jpegOf, jpegSegment, type PngMaking, pngOf } from './odd-images';
import { sampleImage } from './samples';

const exif = (text: string) => jpegSegment(0xe1, Buffer.from(`Exif\0\0${text}`, 'latin1'));
/** EXIF with a thumbnail, which has an end marker of its own. */
export const THUMBNAIL = exif(`II*\0\x08\0\0\0${sampleImage('jpeg', 160, 160).toString('latin1')}`);
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

/** Images that are whole, however they are made: name, bytes and type. */
export const WHOLE_IMAGES: readonly (readonly [string, Buffer, 'image/jpeg' | 'image/png'])[] = [
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
