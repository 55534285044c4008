import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { openPdf } from '../../open-pdf';
import { jpegOf } from '../odd-images';
import { PdfBuilder, SQUARE, sampleFile } from './pdf-builder';

/** A renderer draws a missing part of an image black or white, so the images of a PDF are decoded. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-images-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

type AddImage = (pdf: PdfBuilder) => string;

const image = (data: Buffer, dict: string): AddImage => {
  return (pdf) => pdf.stream(data, `/Type /XObject /Subtype /Image /Width 61 /Height 43 ${dict}`);
};
const RGB = '/BitsPerComponent 8 /ColorSpace /DeviceRGB';
const jpeg = (data: Buffer) => image(data, `${RGB} /Filter /DCTDecode`);
const flate = (data: Buffer, dict = RGB) => image(data, `${dict} /Filter /FlateDecode`);
const jpeg2000 = (data: Buffer) => image(data, '/Filter /JPXDecode');
const rows = (count: number, bytes = 61 * 3) => deflateSync(Buffer.alloc(count * bytes, 'pixels'));
const cut = (data: Buffer, share = 0.6) => data.subarray(0, Math.floor(data.length * share));

/** A codestream of one tile-part (ISO/IEC 15444-1, annex A), with the header segments SIZ and COD. */
function codestream(pixels: number, there = pixels): Buffer {
  const segment = (marker: number, length: number) => {
    const bytes = Buffer.alloc(2 + length);
    bytes.writeUInt16BE(marker);
    bytes.writeUInt16BE(length, 2);
    return bytes;
  };
  const tile = segment(0xff90, 10);
  tile.writeUInt32BE(14 + pixels, 6);
  const parts = [segment(0xff51, 41), segment(0xff52, 12), tile, Buffer.from('ff93', 'hex'), Buffer.alloc(there)];
  return Buffer.concat([Buffer.from('ff4f', 'hex'), ...parts, Buffer.from(there < pixels ? '' : 'ffd9', 'hex')]);
}

/** Returns the damaged images of a PDF whose third page has this one. */
async function damagedIn(add: AddImage): Promise<unknown> {
  const pdf = new PdfBuilder();
  const content = `${SQUARE}q 72 0 0 72 0 0 cm /I Do Q`;
  const withImage = { content, resources: `/XObject << /I ${add(pdf)} >>` };
  const path = join(folder, 'file.pdf');
  await writeFile(path, sampleFile(pdf, { pages: [{}, {}, withImage, withImage] }));
  const opened = await openPdf(path);
  const { complete, damagedImages } = await opened.measure();
  opened.close();
  expect(complete).toBe(true);
  return damagedImages;
}

const softMasked = (mask: Buffer): AddImage => {
  return (pdf) =>
    flate(rows(43), `${RGB} /SMask ${flate(mask, '/BitsPerComponent 8 /ColorSpace /DeviceGray')(pdf)}`)(pdf);
};

test.each<[string, AddImage]>([
  ['a JPEG', jpeg(jpegOf())],
  ['a progressive JPEG', jpeg(jpegOf({ progressive: true }))],
  ['a JPEG with a line end before it', jpeg(Buffer.concat([Buffer.from('\n'), jpegOf()]))],
  ['compressed rows', flate(rows(43))],
  [
    'compressed rows with filters',
    flate(rows(43, 61 * 3 + 1), `${RGB} /DecodeParms << /Predictor 15 /Columns 61 /Colors 3 >>`),
  ],
  ['compressed rows whose last one is cut', flate(deflateSync(Buffer.alloc(61 * 3 * 43 - 3)))],
  ['compressed rows with a wrong checksum', flate(Buffer.concat([rows(43).subarray(0, -4), Buffer.from('sums')]))],
  ['a stencil', flate(rows(43, 8), '/ImageMask true')],
  ['a palette', flate(rows(43, 31), '/BitsPerComponent 4 /ColorSpace [/Indexed /DeviceRGB 1 <000000ffffff>]')],
  ['two inks', flate(rows(43, 122), '/BitsPerComponent 8 /ColorSpace [/DeviceN [/Cyan /Black] /DeviceCMYK 9 0 R]')],
  ['a soft mask', softMasked(rows(43, 61))],
  ['a JPEG 2000 image', jpeg2000(codestream(500))],
])('a PDF with %s has no damaged image', async (_what, add) => {
  expect(await damagedIn(add)).toEqual([]);
});

test.each<[string, AddImage, string]>([
  ['a JPEG that is cut', jpeg(cut(jpegOf())), 'the image is truncated'],
  ['a progressive JPEG that is cut', jpeg(cut(jpegOf({ progressive: true }))), 'the image is truncated'],
  ['a JPEG without Huffman tables', jpeg(jpegOf({ without: 'DHT' })), 'the image has no Huffman tables'],
  ['an empty JPEG', jpeg(Buffer.alloc(0)), 'the image has no pixels'],
  ['half the rows', flate(rows(21)), 'the image is truncated: rows of pixels are missing'],
  ['compressed rows that are cut', flate(cut(rows(43))), 'the image is truncated: rows of pixels are missing'],
  ['garbage for rows', flate(Buffer.alloc(200, 'x')), 'the image is damaged'],
  ['a soft mask of half the rows', softMasked(rows(21, 61)), 'the image is truncated: rows of pixels are missing'],
  ['a JPEG 2000 image that is cut', jpeg2000(codestream(500, 200)), 'the image is truncated'],
])('a PDF with %s has a damaged image', async (_what, add, damage) => {
  expect(await damagedIn(add)).toEqual([{ pages: { count: 1, ranges: [{ from: 3, to: 3 }] }, damage }]);
});
