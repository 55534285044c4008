import { createCanvas, Path2D } from '@napi-rs/canvas';
import { landscape } from './artwork';
import { pngChunk } from './exhausting-files';

export interface ImageSpec {
  readonly form: 'png' | 'jpeg';
  readonly widthMm: number;
  readonly heightMm: number;
  /** Pixels per inch. Sets the pixel size and is written into the file. */
  readonly dpi: number;
  readonly seed: number;
  /** True for a clear background (PNG only). */
  readonly transparent: boolean;
}

const MM_PER_INCH = 25.4;

/** Returns the number of pixels of a length at a resolution. */
export function pixels(mm: number, dpi: number): number {
  return Math.round((mm / MM_PER_INCH) * dpi);
}

/** Draws an image with the pixel size of its print area and its resolution in the file. */
export async function printImage(spec: ImageSpec): Promise<Uint8Array> {
  const canvas = createCanvas(pixels(spec.widthMm, spec.dpi), pixels(spec.heightMm, spec.dpi));
  const context = canvas.getContext('2d');
  context.scale(canvas.width / spec.widthMm, canvas.height / spec.heightMm);
  if (spec.transparent) {
    const r = Math.min(spec.widthMm, spec.heightMm) / 2;
    context.beginPath();
    context.arc(spec.widthMm / 2, spec.heightMm / 2, r, 0, 2 * Math.PI);
    context.clip();
  }
  for (const shape of landscape(spec.widthMm, spec.heightMm, spec.seed, !spec.transparent)) {
    context.fillStyle = shape.color;
    context.fill(new Path2D(shape.path));
  }
  return spec.form === 'png'
    ? withPngResolution(await canvas.encode('png'), spec.dpi)
    : withJpegResolution(await canvas.encode('jpeg', 88), spec.dpi);
}

/** Inserts a pHYs chunk (PNG specification, 11.3.4.3) after IHDR: pixels per metre on both axes. */
function withPngResolution(png: Buffer, dpi: number): Buffer {
  const afterHeader = 8 + 12 + 13;
  const data = Buffer.alloc(9, 1);
  const perMetre = Math.round((dpi * 1000) / MM_PER_INCH);
  data.writeUInt32BE(perMetre, 0);
  data.writeUInt32BE(perMetre, 4);
  return Buffer.concat([png.subarray(0, afterHeader), pngChunk('pHYs', data), png.subarray(afterHeader)]);
}

/** Writes dots per inch into the JFIF header (ITU-T T.871). The encoder writes an aspect ratio only. */
function withJpegResolution(jpeg: Buffer, dpi: number): Buffer {
  const copy = Buffer.from(jpeg);
  if (copy.toString('latin1', 6, 10) !== 'JFIF') return copy;
  copy.writeUInt8(1, 13);
  copy.writeUInt16BE(dpi, 14);
  copy.writeUInt16BE(dpi, 16);
  return copy;
}
