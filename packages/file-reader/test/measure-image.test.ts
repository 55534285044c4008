import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { pngChunk } from '../../../sandbox/files/exhausting-files';
import { fileFactsSchema } from '../facts';
import { measureImage } from '../measure-image';
import { jpegOf, jpegSegment } from './odd-images';
import { iccProfile } from './pdf/pdf-builder';
import { rotated, sampleImage } from './samples';

const imageOf = (bytes: Buffer, type: 'image/png' | 'image/jpeg') => measureImage(bytes, type).image;

/** Inserts a segment behind the start of a JPEG. */
function withSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), jpegSegment(marker, data), jpeg.subarray(2)]);
}

/** Inserts a chunk behind the header of a PNG. */
function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, 33), pngChunk(type, data), png.subarray(33)]);
}

/** A JPEG without a profile. */
const PLAIN_JPEG = jpegOf({ width: 40, height: 20 });

const part = (number: number, count: number, data: Buffer) =>
  Buffer.concat([Buffer.from(`ICC_PROFILE\0${String.fromCharCode(number, count)}`, 'latin1'), data]);

describe('the measurement of an image', () => {
  const jpeg = sampleImage('jpeg', 40, 20);
  const png = sampleImage('png', 40, 20);
  const size = { widthPx: 40, heightPx: 20, orientation: 1, dpi: null, animated: false };

  test('finds pixels and colours of a JPEG', async () => {
    expect(await imageOf(jpeg, 'image/jpeg')).toEqual({ ...size, model: 'rgb', profile: 'sRGB', alpha: false });
  });

  test('keeps the pixels as stored beside the orientation', async () => {
    expect(await imageOf(rotated(jpeg), 'image/jpeg')).toMatchObject({ ...size, orientation: 6 });
  });

  test('joins the parts of a profile in a JPEG in their order', () => {
    const profile = iccProfile('RGB ', 'Adobe RGB (1998)');
    const second = withSegment(PLAIN_JPEG, 0xe2, part(1, 2, profile.subarray(0, 150)));
    const both = withSegment(second, 0xe2, part(2, 2, profile.subarray(150)));
    expect(measureImage(both, 'image/jpeg').image).toMatchObject({ profile: 'Adobe RGB (1998)' });
  });

  test('tells grey and CMYK by the components of the frame', async () => {
    for (const [components, model] of [
      [1, 'gray'],
      [4, 'cmyk'],
    ] as const) {
      const file = jpegOf({ sampling: Array(components).fill([1, 1]) });
      expect(imageOf(file, 'image/jpeg')).toMatchObject({ model });
    }
  });

  test('finds alpha and the profile of a PNG', async () => {
    expect(await imageOf(sampleImage('png', 40, 20, 'transparent'), 'image/png')).toMatchObject({ alpha: true });
    const iccp = Buffer.concat([Buffer.from('name\0\0'), deflateSync(iccProfile('RGB ', 'Display P3', 4))]);
    expect(await imageOf(withChunk(png, 'iCCP', iccp), 'image/png')).toMatchObject({ profile: 'Display P3' });
    expect(await imageOf(withChunk(png, 'sRGB', Buffer.from([0])), 'image/png')).toMatchObject({ profile: 'sRGB' });
    expect(await imageOf(withChunk(png, 'tRNS', Buffer.alloc(6)), 'image/png')).toMatchObject({ alpha: true });
  });

  test('finds pixels and colours beside a damaged profile, which has no name', async () => {
    const noZlib = withChunk(png, 'iCCP', Buffer.from('name\0\0no zlib'));
    expect(await imageOf(noZlib, 'image/png')).toMatchObject({ ...size, model: 'rgb', profile: 'unnamed' });
    const profile = iccProfile('RGB ', 'Display P3', 4);
    for (let length = 0; length < profile.length; length += 1) {
      const cut = withSegment(PLAIN_JPEG, 0xe2, part(1, 1, profile.subarray(0, length)));
      expect(measureImage(cut, 'image/jpeg')).toMatchObject({ complete: true, image: size });
    }
  });

  test('finds the resolution that the file names: of JFIF, else of EXIF, or of a PNG in pixels per metre', () => {
    const jfif = (unit: number, x: number, y: number) =>
      jpegSegment(0xe0, Buffer.from([...Buffer.from('JFIF\0'), 1, 2, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0]));
    const dpiIn = (...segments: Buffer[]) => imageOf(jpegOf({ segments }), 'image/jpeg')!.dpi;
    expect(dpiIn()).toBeNull();
    expect(dpiIn(jfif(1, 300, 300))).toBe(300);
    expect(dpiIn(jfif(2, 118, 118))).toBe(299.72);
    expect(dpiIn(jfif(0, 1, 1))).toBeNull();
    expect(dpiIn(jfif(1, 300, 200))).toBeNull();
    for (const [order, orientation] of [
      ['II', 6],
      ['MM', 8],
    ] as const) {
      const exif = jpegSegment(0xe1, exifOf(order, { 274: orientation, 282: 240, 283: 240, 296: 2 }));
      expect(dpiIn(jfif(0, 1, 1), exif)).toBe(240);
      expect(imageOf(jpegOf({ segments: [exif] }), 'image/jpeg')).toMatchObject({ orientation });
      for (let end = 4; end < exif.length; end += 1) {
        const cut = jpegOf({ segments: [jpegSegment(0xe1, exif.subarray(4, end))] });
        expect(imageOf(cut, 'image/jpeg')).toMatchObject({ widthPx: 61 });
      }
    }
    const perMetre = (unit: number) => {
      const data = Buffer.alloc(9, unit);
      for (const at of [0, 4]) data.writeUInt32BE(11_811, at);
      return imageOf(withChunk(png, 'pHYs', data), 'image/png')!.dpi;
    };
    expect([perMetre(1), perMetre(0)]).toEqual([300, null]);
  });

  test('finds that a PNG is animated', () => {
    expect(imageOf(withChunk(png, 'acTL', Buffer.alloc(8)), 'image/png')).toMatchObject({ animated: true });
  });

  test('of noise has facts, or says that there is no header', () => {
    for (let count = 0; count < 500; count += 1) {
      for (const [bytes, type] of [
        [png, 'image/png'],
        [jpeg, 'image/jpeg'],
      ] as const) {
        const noise = Buffer.concat([bytes.subarray(0, count), randomBytes(count)]);
        try {
          const facts = measureImage(noise, type);
          expect(fileFactsSchema.parse(facts)).toEqual(facts);
        } catch (error) {
          expect(error).toMatchObject({ name: 'UnreadableFile' });
        }
      }
    }
  });
});

/** Returns EXIF with tags of numbers. Those of a resolution are ratios, which stand behind the tags. */
function exifOf(order: 'II' | 'MM', tags: Readonly<Record<number, number>>): Buffer {
  const tiff = Buffer.alloc(200);
  const u16 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(order, 0, 'latin1');
  u16(42, 2);
  u32(8, 4);
  const entries = Object.entries(tags);
  u16(entries.length, 8);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 10 + 12 * index;
    const isRatio = [0x11a, 0x11b].includes(Number(tag));
    u16(Number(tag), at);
    u16(isRatio ? 5 : 3, at + 2);
    u32(1, at + 4);
    if (isRatio) {
      const place = 100 + 8 * index;
      u32(place, at + 8);
      u32(value * 10, place);
      u32(10, place + 4);
    } else u16(value, at + 8);
  }
  return Buffer.concat([Buffer.from('Exif\0\0'), tiff]);
}
