import bwipjs from 'bwip-js';
import type { PdfDrawing } from './pdf-drawing';

/** The barcode of a label: a postal S10 identifier in Code 128, or an SSCC in GS1-128 with AI (00). */
export interface LabelBarcode {
  readonly symbology: 'code128' | 'gs1-128';
  /** 13 characters of an S10 identifier, 18 digits of an SSCC, or a gateway's tracking number. */
  readonly value: string;
}

/** A linear symbol as a list of widths in modules: bar, space, bar, ..., bar. */
export interface BarSymbol {
  readonly widths: readonly number[];
  /** Total number of modules, without quiet zones. */
  readonly modules: number;
}

/** Blank space on each side of a symbol, in modules (ISO/IEC 15417; GS1 General Specifications 5.4). */
export const QUIET_ZONE = 10;

/** Encodes a barcode. GS1-128 starts with FNC1 and the application identifier. */
export function encodeBarcode({ symbology, value }: LabelBarcode): BarSymbol {
  const options =
    symbology === 'gs1-128' ? { bcid: 'gs1-128', text: `(00)${value}` } : { bcid: 'code128', text: value };
  const [symbol] = bwipjs.raw(options as Parameters<typeof bwipjs.raw>[0]) as unknown as { sbs: number[] }[];
  // The list ends with the space after the last bar.
  const widths = symbol!.sbs.length % 2 === 0 ? symbol!.sbs.slice(0, -1) : symbol!.sbs;
  return { widths, modules: widths.reduce((sum, width) => sum + width, 0) };
}

/** Draws the bars of a symbol; positions in points. */
export function drawBars(
  pdf: PdfDrawing,
  symbol: BarSymbol,
  place: { readonly x: number; readonly y: number; readonly height: number; readonly moduleWidth: number },
): void {
  let x = place.x;
  pdf.doc.fillColor('#000000');
  symbol.widths.forEach((modules, index) => {
    const width = modules * place.moduleWidth;
    if (index % 2 === 0) pdf.doc.rect(x, place.y, width, place.height);
    x += width;
  });
  pdf.doc.fill();
}

/** Returns the text under the bars, with S10 and SSCC in the groups that their standards print. */
export function barcodeText({ symbology, value }: LabelBarcode): string {
  if (symbology === 'gs1-128') return `(00) ${value[0]} ${value.slice(1, 8)} ${value.slice(8, 17)} ${value[17]}`;
  const postal = /^([A-Z]{2})(\d{3})(\d{3})(\d{2})(\d)([A-Z]{2})$/.exec(value);
  return postal === null ? value : postal.slice(1).join(' ');
}
