import { buffer } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import PDFDocument from 'pdfkit';

/** Returns a PDF with pages of the given sizes in points. The left half of each page is red. */
export async function samplePdf(...pages: [number, number][]): Promise<Buffer> {
  const pdf = new PDFDocument({ margin: 0, autoFirstPage: false });
  for (const [width, height] of pages) {
    pdf
      .addPage({ size: [width, height] })
      .rect(0, 0, width / 2, height)
      .fill('#ff0000');
  }
  pdf.end();
  return await buffer(pdf);
}

/** Returns an image whose left half is red and whose right half has the colour `right`. */
export function sampleImage(type: 'png' | 'jpeg', width: number, height: number, right = 'white'): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'red';
  context.fillRect(0, 0, width / 2, height);
  if (right !== 'transparent') {
    context.fillStyle = right;
    context.fillRect(width / 2, 0, width / 2, height);
  }
  return type === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg', 90);
}

/** Returns the JPEG with EXIF orientation 6: displayed rotated by 90 degrees clockwise. */
export function rotated(jpeg: Buffer): Buffer {
  const exif = Buffer.from('45786966000049492a0008000000010012010300010000000600000000000000', 'hex');
  const marker = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, exif, jpeg.subarray(2)]);
}
