import { addressLines } from '../consignments/domain/address-lines';
import type { PostalAddress } from '../consignments/domain/consignment';
import { type BarSymbol, barcodeText, encodeBarcode, type LabelBarcode, QUIET_ZONE } from './barcode';
import type { Weight } from './fonts';
import { mm } from './pen';
import { fitLines, isRightToLeft, LEADING, lineWidth } from './text';

/** What one package's label says. */
export interface LabelContent {
  readonly carrierName: string;
  readonly serviceName: string;
  /** Class of service in the corner, e.g. `EXPRESS`. */
  readonly mark: string;
  /** The client's brand, where the carrier allows one. */
  readonly brandName?: string | undefined;
  readonly sender: PostalAddress;
  readonly receiver: PostalAddress;
  readonly reference: string;
  readonly packageReference: string;
  readonly packageNumber: number;
  readonly packageCount: number;
  readonly weightGrams: number;
  /** YYYY-MM-DD. */
  readonly date: string;
  /** Sort code in large letters, e.g. `US-627`. */
  readonly routing: string;
  readonly barcode: LabelBarcode;
}

/** Something drawn on a label; points from its top left corner. */
export type LabelElement =
  | {
      kind: 'text';
      x: number;
      y: number;
      text: string;
      size: number;
      weight: Weight;
      inverse: boolean;
      /** The room it is set in, for printers that set text in a font of their own. */
      room: { x: number; width: number; align: 'left' | 'right' | 'center' };
    }
  | { kind: 'bar'; x: number; y: number; width: number; height: number }
  | {
      kind: 'barcode';
      x: number;
      y: number;
      height: number;
      moduleWidth: number;
      symbol: BarSymbol;
      content: LabelBarcode;
    };

/** GS1 wants modules of at least 0.495 mm on logistic labels; half a millimetre is also four dots at 203 dpi. */
const MODULE = mm(0.5);
/** GS1's least bar height of an SSCC. */
const BAR_HEIGHT = mm(32);
const MARGIN = 10;

/** `1.25 kg`, or grams below one kilogram. */
export function weightText(grams: number): string {
  return grams < 1000 ? `${Math.ceil(grams)} g` : `${(Math.ceil(grams / 10) / 100).toFixed(2)} kg`;
}

/**
 * Where everything stands on a label, the same for every printer language.
 * From the top: carrier and service; return address with weight, date and count; receiver; routing; barcode; references.
 * @param size in points; 4x6 in (288 x 432) or A6 (298 x 420)
 */
export function layOutLabel(label: LabelContent, size: { width: number; height: number }): LabelElement[] {
  const elements: LabelElement[] = [];
  const country = label.receiver.country;
  const right = size.width - MARGIN;
  const inner = right - MARGIN;

  const text = (
    words: string,
    x: number,
    y: number,
    style: {
      size: number;
      weight?: Weight;
      width?: number;
      align?: 'left' | 'right' | 'center';
      inverse?: boolean;
    },
  ) => {
    const { weight = 'regular', align = 'left', width = inner, inverse = false } = style;
    const natural = lineWidth(words, country, weight) * style.size;
    const fontSize = natural > width ? (style.size * width) / natural : style.size;
    const slack = width - Math.min(natural, width);
    const left = x + (align === 'right' ? slack : align === 'center' ? slack / 2 : 0);
    elements.push({
      kind: 'text',
      x: left,
      y,
      text: words,
      size: fontSize,
      weight,
      inverse,
      room: { x, width, align },
    });
  };
  const lines = (
    all: readonly string[],
    box: { x: number; y: number; width: number; height: number },
    style: { size: number; minSize: number; weight?: Weight },
  ) => {
    const fitted = fitLines(all, box, { ...style, country });
    fitted.lines.forEach((line, index) => {
      text(line, box.x, box.y + index * fitted.size * LEADING, {
        size: fitted.size,
        width: box.width,
        align: isRightToLeft(line) ? 'right' : 'left',
        ...(style.weight === undefined ? {} : { weight: style.weight }),
      });
    });
  };
  const rule = (y: number) => elements.push({ kind: 'bar', x: MARGIN, y, width: inner, height: 1 });

  const markWidth = 92;
  elements.push({ kind: 'bar', x: right - markWidth, y: MARGIN, width: markWidth, height: 36 });
  text(label.mark, right - markWidth + 5, MARGIN + 9, {
    size: 15,
    weight: 'bold',
    width: markWidth - 10,
    align: 'center',
    inverse: true,
  });
  text(label.carrierName, MARGIN, MARGIN, { size: 16, weight: 'bold', width: inner - markWidth - 8 });
  text(label.serviceName, MARGIN, MARGIN + 21, { size: 11, width: inner - markWidth - 8 });
  rule(52);

  const factsWidth = 92;
  const senderWidth = inner - factsWidth - 8;
  text(label.brandName === undefined ? 'From' : `From: ${label.brandName}`, MARGIN, 56, {
    size: 6.5,
    weight: 'bold',
    width: senderWidth,
  });
  lines(
    addressLines(label.sender, { from: country }),
    { x: MARGIN, y: 65, width: senderWidth, height: 57 },
    { size: 7.5, minSize: 3 },
  );
  const facts = [
    ['Date', label.date],
    ['Weight', weightText(label.weightGrams)],
    ['Package', `${label.packageNumber} of ${label.packageCount}`],
  ] as const;
  facts.forEach(([name, value], index) => {
    text(name, right - factsWidth, 58 + index * 21, { size: 6.5, width: 34 });
    text(value, right - factsWidth + 36, 56 + index * 21, {
      size: 10,
      weight: 'bold',
      width: factsWidth - 36,
      align: 'right',
    });
  });
  rule(126);

  text('To', MARGIN, 130, { size: 6.5, weight: 'bold' });
  const to = addressLines(label.receiver, { from: label.sender.country });
  const phone = label.receiver.phone === undefined ? [] : [`Tel. ${label.receiver.phone}`];
  lines(
    [...to, ...phone],
    { x: MARGIN + 6, y: 139, width: inner - 6, height: 105 },
    { size: 13, minSize: 4.5, weight: 'bold' },
  );
  rule(248);

  text(label.routing, MARGIN, 252, { size: 24, weight: 'bold', width: inner });
  rule(285);

  const symbol = encodeBarcode(label.barcode);
  const moduleWidth = Math.min(MODULE, size.width / (symbol.modules + 2 * QUIET_ZONE));
  const barcodeTop = 291;
  elements.push({
    kind: 'barcode',
    x: (size.width - symbol.modules * moduleWidth) / 2,
    y: barcodeTop,
    height: BAR_HEIGHT,
    moduleWidth,
    symbol,
    content: label.barcode,
  });
  text(barcodeText(label.barcode), MARGIN, barcodeTop + BAR_HEIGHT + 4, {
    size: 11,
    weight: 'bold',
    align: 'center',
  });

  const bottom = size.height - MARGIN;
  rule(bottom - 11);
  text(`Ref. ${label.reference}`, MARGIN, bottom - 8, { size: 7, width: inner * 0.62 });
  text(label.packageReference, MARGIN + inner * 0.64, bottom - 8, {
    size: 7,
    width: inner * 0.36,
    align: 'right',
  });
  return elements;
}
