import { randomBytes } from 'node:crypto';
import { loadImage } from '@napi-rs/canvas';
import { openImage } from '../open-image';
import { type JpegMaking, jpegOf, type PngMaking, pngOf } from './odd-images';
import { sampleImage } from './samples';
import { THUMBNAIL, WHOLE_IMAGES } from './whole-images';

/** An image is accepted when all of its pixels are there, however it is made. */

describe('an image that is whole', () => {
  // What Skia draws is no proof: it draws missing parts in grey. It shows that the images of this test are no nonsense.
  test.each(WHOLE_IMAGES)('is %s', async (_name, bytes, type) => {
    const opened = openImage(bytes, type);
    await opened.decode();
    const { width, height } = await loadImage(bytes);
    expect(opened.properties).toMatchObject({ widthPx: width, heightPx: height });
    expect(await opened.render(100, null)).not.toBeNull();
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
