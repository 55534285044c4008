import { crc32, createDeflate, deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';

/** Files that are valid and exhaust the memory or the time of a program that opens them without limits. */

/**
 * Returns a PNG of one colour: 1 bit a pixel, so that 40,000 x 40,000 pixels are 200 kB. A decoder needs four bytes for each.
 * @param width pixels, a multiple of 8
 */
export async function pngBomb(width: number, height = width): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1; // 1 bit a pixel, grey
  const deflate = createDeflate({ level: 1 });
  const compressed: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => compressed.push(chunk));
  const row = Buffer.alloc(1 + width / 8);
  for (let y = 0; y < height; y += 1) {
    if (!deflate.write(row)) await new Promise((drained) => deflate.once('drain', drained));
  }
  await new Promise<void>((done) => deflate.end(() => done()));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', Buffer.concat(compressed)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}

/**
 * Returns a PDF of a few kB with this many pages: every level of the page tree names the level below a hundred times.
 * @param levels 100 to the power of `levels` pages
 */
export function manyPages(levels: number): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>'];
  for (let level = 0; level < levels; level += 1) {
    const parent = level === 0 ? '' : `/Parent ${level + 1} 0 R`;
    const kids = `${level + 3} 0 R `.repeat(100);
    objects.push(`<< /Type /Pages ${parent} /Count ${100 ** (levels - level)} /Kids [${kids}] >>`);
  }
  objects.push(`<< /Type /Page /Parent ${levels + 1} 0 R /MediaBox [0 0 595 842] /Resources << >> >>`);
  return pdfOf(objects);
}

/**
 * Returns a PDF of one page whose tiling pattern paints itself: its size can be told at once, its picture never.
 * @param seed makes the content different
 */
export function cyclicPattern(seed: number): Buffer {
  const pattern = '/Resources << /Pattern << /P 4 0 R >> >>';
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R ${pattern} >>`,
    stream(
      `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 50 50] /XStep 1 /YStep 1 ${pattern}`,
      '/Pattern cs /P scn 0 0 50 50 re f',
    ),
    stream('', `/Pattern cs /P scn 0 0 595 842 re f % ${seed}`),
  ]);
}

/**
 * Returns a PDF of one page that is painted this many times with a gradient.
 * @param seed makes the content different
 */
export function manyShadings(shadings: number, seed: number): Buffer {
  const content = deflateSync(`% ${seed}\n${'/S sh\n'.repeat(shadings)}`);
  const gradient =
    '<< /ShadingType 3 /ColorSpace /DeviceRGB /Coords [300 400 0 300 400 500] /Extend [true true] ' +
    '/Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >>';
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Shading << /S ${gradient} >> >> >>`,
    stream('/Filter /FlateDecode', content.toString('latin1')),
  ]);
}

const stream = (entries: string, content: string) =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;

/** Returns a PDF of these objects in Latin-1. The first is its catalog. */
function pdfOf(objects: readonly string[]): Buffer {
  let pdf = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return Buffer.from(
    `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`,
    'latin1',
  );
}

/** Returns a progressive JPEG with this many scans: a decoder goes through the whole image for each. */
export function manyScans(scans: number): Buffer {
  const jpeg = createCanvas(512, 512).toBuffer('image/jpeg', 80);
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const scan = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  jpeg[frame + 1] = 0xc2; // progressive
  const end = jpeg.length - 2;
  const repeated = Array.from({ length: scans }, () => jpeg.subarray(scan, end));
  return Buffer.concat([jpeg.subarray(0, scan), ...repeated, jpeg.subarray(end)]);
}
