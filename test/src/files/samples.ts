import { createCanvas } from '@napi-rs/canvas';
import { PDFDocument, rgb } from 'pdf-lib';

/** A PDF of pages in points; the first page's left half is red. */
export async function samplePdf(...pages: [number, number][]): Promise<Buffer> {
  const document = await PDFDocument.create();
  for (const [width, height] of pages) {
    document
      .addPage([width, height])
      .drawRectangle({ x: 0, y: 0, width: width / 2, height, color: rgb(1, 0, 0) });
  }
  return Buffer.from(await document.save());
}

/** An image whose left half is red and whose right half is `right`. */
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

/** The JPEG with an EXIF orientation of 6: shown turned by a quarter clockwise. */
export function turned(jpeg: Buffer): Buffer {
  const exif = Buffer.from('45786966000049492a0008000000010012010300010000000600000000000000', 'hex');
  const marker = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, exif, jpeg.subarray(2)]);
}
