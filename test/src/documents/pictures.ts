import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { createCanvas, ImageData, loadImage } from '@napi-rs/canvas';
import { prepareZXingModule, type ReadResult, readBarcodes } from 'zxing-wasm/reader';

prepareZXingModule({
  overrides: {
    wasmBinary: readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm')).buffer as ArrayBuffer,
  },
});

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8ClampedArray;
}

let library: Promise<PDFiumLibrary> | undefined;

/** Returns the pages of a PDF as pixels. Also writes PNG files to PICTURES_DIR when it is set, for visual checks. */
export async function pagesOf(pdf: Uint8Array, name: string, scale = 3): Promise<Picture[]> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(pdf);
  try {
    const pictures: Picture[] = [];
    for (const page of document.pages()) {
      const { data, width, height } = await page.render({ scale, render: 'bitmap' });
      // PDFium returns BGRA.
      const rgba = new Uint8ClampedArray(data);
      for (let i = 0; i < rgba.length; i += 4) {
        const blue = rgba[i]!;
        rgba[i] = rgba[i + 2]!;
        rgba[i + 2] = blue;
      }
      const picture = { width, height, data: rgba };
      keep(picture, `${name}-${pictures.length + 1}`);
      pictures.push(picture);
    }
    return pictures;
  } finally {
    document.destroy();
  }
}

/** Returns the text of the pages of a PDF. */
export async function textOf(pdf: Uint8Array): Promise<string[]> {
  library ??= PDFiumLibrary.init();
  const document = await (await library).loadDocument(pdf);
  try {
    return [...document.pages()].map((page) => page.getText());
  } finally {
    document.destroy();
  }
}

/** Returns a PNG file as pixels. */
export async function pictureOfPng(png: Uint8Array, name: string): Promise<Picture> {
  const image = await loadImage(Buffer.from(png));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, image.width, image.height);
  context.drawImage(image, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
  const picture = { width, height, data };
  keep(picture, name);
  return picture;
}

function keep({ width, height, data }: Picture, name: string): void {
  const folder = process.env.PICTURES_DIR;
  if (folder === undefined) return;
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  writeFileSync(join(folder, `${name}.png`), canvas.toBuffer('image/png'));
}

/** Returns all barcodes in a picture. */
export async function barcodesIn(picture: Picture): Promise<ReadResult[]> {
  return await readBarcodes(
    {
      data: picture.data as Uint8ClampedArray<ArrayBuffer>,
      width: picture.width,
      height: picture.height,
      colorSpace: 'srgb',
    } as unknown as Parameters<typeof readBarcodes>[0],
    { formats: ['Code128'], tryHarder: true, maxNumberOfSymbols: 8 },
  );
}

/** Returns true when any pixel within `margin` pixels of the edge is not white. */
export function touchesEdge({ width, height, data }: Picture, margin: number): boolean {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const inner = x >= margin && x < width - margin && y >= margin && y < height - margin;
      if (!inner && data[(y * width + x) * 4]! < 200) return true;
    }
  }
  return false;
}
