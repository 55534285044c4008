import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { fileFactsSchema } from '../facts';
import { measureImage } from '../measure-image';
import { openImage } from '../open-image';
import { iccProfile } from './pdf/pdf-builder';
import { rotated, sampleImage } from './samples';

const imageOf = async (bytes: Buffer, type: 'image/png' | 'image/jpeg') =>
  (await openImage(bytes, type).measure()).image;

/** Inserts a segment behind the start of a JPEG. */
function withSegment(jpeg: Buffer, marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** Inserts a chunk behind the header of a PNG. Readers of headers do not check the checksum. */
function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([png.subarray(0, 33), head, data, Buffer.alloc(4), png.subarray(33)]);
}

/** Start and end of a JPEG. */
const EMPTY_JPEG = Buffer.from('ffd8ffd9', 'hex');

const part = (number: number, count: number, data: Buffer) =>
  Buffer.concat([Buffer.from(`ICC_PROFILE\0${String.fromCharCode(number, count)}`, 'latin1'), data]);

describe('the measurement of an image', () => {
  const jpeg = sampleImage('jpeg', 40, 20);
  const png = sampleImage('png', 40, 20);
  const size = { widthPx: 40, heightPx: 20, orientation: 1 };

  test('finds pixels and colours of a JPEG', async () => {
    expect(await imageOf(jpeg, 'image/jpeg')).toEqual({ ...size, model: 'rgb', profile: 'sRGB', alpha: false });
  });

  test('keeps the pixels as stored beside the orientation', async () => {
    expect(await imageOf(rotated(jpeg), 'image/jpeg')).toMatchObject({ ...size, orientation: 6 });
  });

  test('joins the parts of a profile in a JPEG in their order', () => {
    const profile = iccProfile('RGB ', 'Adobe RGB (1998)');
    const second = withSegment(EMPTY_JPEG, 0xe2, part(1, 2, profile.subarray(0, 150)));
    const both = withSegment(second, 0xe2, part(2, 2, profile.subarray(150)));
    expect(measureImage(both, 'image/jpeg', size).image).toMatchObject({ profile: 'Adobe RGB (1998)' });
  });

  test('tells grey and CMYK by the components of the frame', async () => {
    for (const [components, model] of [
      [1, 'gray'],
      [4, 'cmyk'],
    ] as const) {
      const frame = Buffer.from([8, 0, 20, 0, 40, components, ...Array(components * 3).fill(1)]);
      const file = withSegment(EMPTY_JPEG, 0xc0, frame);
      expect(measureImage(file, 'image/jpeg', size).image).toMatchObject({ model });
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
      const cut = withSegment(EMPTY_JPEG, 0xe2, part(1, 1, profile.subarray(0, length)));
      expect(measureImage(cut, 'image/jpeg', size)).toMatchObject({ complete: true, image: size });
    }
  });

  test('of noise throws nothing', () => {
    for (let count = 0; count < 500; count += 1) {
      const noise = Buffer.concat([png.subarray(0, count % 60), randomBytes(count)]);
      const facts = [
        measureImage(noise, 'image/png', size),
        measureImage(Buffer.concat([jpeg.subarray(0, count), randomBytes(count)]), 'image/jpeg', size),
      ];
      for (const each of facts) expect(fileFactsSchema.parse(each)).toEqual(each);
    }
  });
});
