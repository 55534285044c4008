import { addressLines } from '../consignments/domain/address-lines';
import type { PostalAddress } from '../consignments/domain/consignment';
import { type BarSymbol, barcodeText, encodeBarcode, type LabelBarcode, QUIET_ZONE } from './barcode';
import { printableText, type Weight } from './fonts';
import { mm } from './pdf-drawing';
import { fitLines, isRightToLeft, LEADING, lineWidth } from './text';

/** The content of the label of one package. */
export interface LabelContent {
  readonly carrierName: string;
  readonly serviceName: string;
  /** Class of service in the corner, e.g. `EXPRESS`. */
  readonly mark: string;
  /** The client's brand, where the carrier allows it. */
  readonly brandName?: string | undefined;
  /** Sender or return address. */
  readonly sender: PostalAddress;
  /** Country in which the carrier accepts the package, ISO 3166-1 alpha-2. */
  readonly originCountry: string;
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

type Align = 'left' | 'right' | 'center';

/** A line of text. `room`: the available room, for printers that use their own font. */
export interface LabelLine extends Required<Pick<LineStyle, 'size' | 'weight' | 'inverse'>> {
  readonly kind: 'text';
  readonly text: string;
  readonly room: { readonly x: number; readonly width: number; readonly align: Align };
}

/** An element of a label. Positions are points from the top left corner of the label. */
export type LabelElement = { readonly x: number; readonly y: number } & (
  | LabelLine
  | ({ readonly kind: 'bar' } & Size)
  | { kind: 'barcode'; height: number; moduleWidth: number; symbol: BarSymbol; content: LabelBarcode }
);

/** Width of a module. GS1 requires at least 0.495 mm on logistic labels; 0.5 mm is four dots at 203 dpi. */
const MODULE = mm(0.5);
/** The minimum bar height of an SSCC (GS1). */
const BAR_HEIGHT = mm(32);
const MARGIN = 10;
/** The receiver on a label, and the smallest letters of its lines that people and scanners read. */
const RECEIVER = { x: MARGIN + 6, y: 139, height: 105, readable: 6 } as const;
const MARK = { width: 92, height: 36 } as const;
const PARCEL_DATA_WIDTH = 92;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface LineStyle {
  readonly size: number;
  readonly weight?: Weight;
  readonly width?: number;
  readonly align?: Align;
  readonly inverse?: boolean;
}

/** Formats a weight: `1.25 kg`, or grams below one kilogram. */
function weightText(grams: number): string {
  return grams < 1000 ? `${Math.ceil(grams)} g` : `${(Math.ceil(grams / 10) / 100).toFixed(2)} kg`;
}

/**
 * Returns the elements of a label, the same for every printer language. From the top: carrier and method; sender with
 * date, weight and package number; receiver; sort code; barcode; references.
 * @param size in points; 4x6 in (288 x 432) or A6 (298 x 420)
 */
export function layOutLabel(label: LabelContent, size: Size): LabelElement[] {
  const layout = new LabelLayout(label.receiver.country, size);
  addService(layout, label);
  layout.addRule(52);
  addSender(layout, label);
  addParcelData(layout, label);
  layout.addRule(126);
  addReceiver(layout, label);
  layout.addRule(248);
  layout.addText(label.routing, MARGIN, 252, { size: 24, weight: 'bold' });
  layout.addRule(285);
  addBarcode(layout, label);
  layout.addRule(size.height - MARGIN - 11);
  addReferences(layout, label);
  return layout.elements;
}

/** Collects the elements of a label. */
class LabelLayout {
  readonly elements: LabelElement[] = [];
  /** Right edge, and width between the margins. */
  readonly right: number;
  readonly inner: number;

  constructor(
    readonly country: string,
    readonly size: Size,
  ) {
    this.right = size.width - MARGIN;
    this.inner = this.right - MARGIN;
  }

  /** Adds a line of text. A line wider than `style.width` is shrunk. */
  addText(words: string, x: number, y: number, style: LineStyle): void {
    const text = printableText(words);
    const { weight = 'regular', align = 'left', width = this.inner, inverse = false } = style;
    const natural = lineWidth(text, this.country, weight) * style.size;
    const size = natural > width ? (style.size * width) / natural : style.size;
    const slack = width - Math.min(natural, width);
    const left = x + (align === 'right' ? slack : align === 'center' ? slack / 2 : 0);
    this.elements.push({ kind: 'text', x: left, y, text, size, weight, inverse, room: { x, width, align } });
  }

  /** Adds lines of text at the largest size at which all of them fit into a box. */
  addLines(
    lines: readonly string[],
    box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
    style: { readonly size: number; readonly minSize: number; readonly weight?: Weight },
  ): void {
    const fitted = fitLines(lines, box, { ...style, country: this.country });
    fitted.lines.forEach((line, index) => {
      this.addText(line, box.x, box.y + index * fitted.size * LEADING, {
        size: fitted.size,
        width: box.width,
        align: isRightToLeft(line) ? 'right' : 'left',
        ...(style.weight === undefined ? {} : { weight: style.weight }),
      });
    });
  }

  addRule(y: number): void {
    this.elements.push({ kind: 'bar', x: MARGIN, y, width: this.inner, height: 1 });
  }
}

function addService(layout: LabelLayout, { mark, carrierName, serviceName }: LabelContent): void {
  const x = layout.right - MARK.width;
  const width = layout.inner - MARK.width - 8;
  layout.elements.push({ kind: 'bar', x, y: MARGIN, ...MARK });
  layout.addText(mark, x + 5, MARGIN + 9, {
    size: 15,
    weight: 'bold',
    width: MARK.width - 10,
    align: 'center',
    inverse: true,
  });
  layout.addText(carrierName, MARGIN, MARGIN, { size: 16, weight: 'bold', width });
  layout.addText(serviceName, MARGIN, MARGIN + 21, { size: 11, width });
}

/** Returns the lines of an address that have printable characters. */
function printedAddress(address: PostalAddress, from: string): string[] {
  return addressLines(address, { from })
    .map(printableText)
    .filter((line) => line !== '');
}

function addSender(layout: LabelLayout, { brandName, sender, originCountry, receiver }: LabelContent): void {
  // The country line helps a package that returns from abroad, or to another country than it came from.
  const isDomestic = originCountry === receiver.country;

  const width = layout.inner - PARCEL_DATA_WIDTH - 8;
  const title = brandName === undefined ? 'From' : `From: ${brandName}`;
  layout.addText(title, MARGIN, 56, { size: 6.5, weight: 'bold', width });
  layout.addLines(
    printedAddress(sender, isDomestic ? receiver.country : ''),
    { x: MARGIN, y: 65, width, height: 57 },
    { size: 7.5, minSize: 1.5 },
  );
}

function addParcelData(layout: LabelLayout, label: LabelContent): void {
  const x = layout.right - PARCEL_DATA_WIDTH;
  const rows = [
    ['Date', label.date],
    ['Weight', weightText(label.weightGrams)],
    ['Package', `${label.packageNumber} of ${label.packageCount}`],
  ] as const;
  rows.forEach(([name, value], index) => {
    layout.addText(name, x, 58 + index * 21, { size: 6.5, width: 34 });
    layout.addText(value, x + 36, 56 + index * 21, {
      size: 10,
      weight: 'bold',
      width: PARCEL_DATA_WIDTH - 36,
      align: 'right',
    });
  });
}

function receiverLines(receiver: PostalAddress, from: string): string[] {
  return [...printedAddress(receiver, from), ...(receiver.phone ? [`Tel. ${receiver.phone}`] : [])];
}

function addReceiver(layout: LabelLayout, { receiver, originCountry }: LabelContent): void {
  layout.addText('To', MARGIN, 130, { size: 6.5, weight: 'bold' });
  layout.addLines(
    receiverLines(receiver, originCountry),
    { ...RECEIVER, width: layout.inner - 6 },
    { size: 13, minSize: 1.5, weight: 'bold' },
  );
}

/** Texts of fewer characters fit in every script. */
const FITTING = 150;

/** Returns true when a receiver's address can be read on the narrowest label. */
export function fitsOnLabel(receiver: PostalAddress): boolean {
  const lines = receiverLines(receiver, '');
  if (lines.join('').length <= FITTING) return true;
  const { readable: size, height } = RECEIVER;
  const width = 288 - 2 * MARGIN - 6;
  const style = { size, minSize: size, weight: 'bold', country: receiver.country } as const;
  return fitLines(lines, { width, height }, style).lines.length * size * LEADING <= height;
}

function addBarcode(layout: LabelLayout, { barcode }: LabelContent): void {
  const top = 291;
  const symbol = encodeBarcode(barcode);
  const moduleWidth = Math.min(MODULE, layout.size.width / (symbol.modules + 2 * QUIET_ZONE));
  layout.elements.push({
    kind: 'barcode',
    x: (layout.size.width - symbol.modules * moduleWidth) / 2,
    y: top,
    height: BAR_HEIGHT,
    moduleWidth,
    symbol,
    content: barcode,
  });
  layout.addText(barcodeText(barcode), MARGIN, top + BAR_HEIGHT + 4, {
    size: 11,
    weight: 'bold',
    align: 'center',
  });
}

function addReferences(layout: LabelLayout, { reference, packageReference }: LabelContent): void {
  const y = layout.size.height - MARGIN - 8;
  layout.addText(`Ref. ${reference}`, MARGIN, y, { size: 7, width: layout.inner * 0.62 });
  layout.addText(packageReference, MARGIN + layout.inner * 0.64, y, {
    size: 7,
    width: layout.inner * 0.36,
    align: 'right',
  });
}
