import PDFDocument from 'pdfkit';
import { font, runWidth, type Script, type Weight } from './fonts';
import { isRightToLeft, LEADING, lineWidth, visualRuns, wrap } from './text';

/** Converts millimetres to points. */
export const mm = (value: number) => (value * 72) / 25.4;

export interface TextStyle {
  /** Points. */
  readonly size: number;
  readonly weight?: Weight;
  readonly align?: 'left' | 'right' | 'center';
  /** Available width in points. Text is never cut: `line` shrinks it to fit, `block` breaks it into lines. */
  readonly width?: number;
  readonly color?: string;
}

const RIGHT_TO_LEFT_SCRIPTS: readonly Script[] = ['arabic', 'hebrew', 'thaana'];

/** An electronic invoice within a PDF/A-3 (ZUGFeRD 2, Factur-X 1): CII of the profile EN 16931. */
export interface EmbeddedInvoice {
  readonly xml: Buffer;
  readonly at: Date;
}

const FACTUR_X = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';
const FACTUR_X_FIELDS = {
  DocumentFileName: ['factur-x.xml', 'The name of the embedded XML document'],
  DocumentType: ['INVOICE', 'The type of the hybrid document in capital letters'],
  Version: ['1.0', 'The version of the standard of the embedded XML document'],
  ConformanceLevel: ['EN 16931', 'The conformance level of the embedded XML document'],
} as const;

/** Embeds an invoice, and describes it in the metadata with the extension schema that PDF/A requires. */
function embed(doc: PDFKit.PDFDocument, { xml, at }: EmbeddedInvoice): void {
  const [name] = FACTUR_X_FIELDS.DocumentFileName;
  const description = 'Invoice in the format of EN 16931';
  const file = { name, type: 'text/xml', description, creationDate: at, modifiedDate: at, relationship: 'Alternative' };
  // The types of pdfkit lack `relationship` and `appendXML`.
  const open = doc as unknown as { file(bytes: Buffer, options: object): void; appendXML(xml: string): void };
  open.file(xml, file);
  const fields = Object.entries(FACTUR_X_FIELDS);
  const properties = fields.map(
    ([field, [, meaning]]) => `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${field}</pdfaProperty:name>
<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>
<pdfaProperty:description>${meaning}</pdfaProperty:description></rdf:li>`,
  );
  open.appendXML(`<rdf:Description xmlns:fx="${FACTUR_X}" rdf:about="">
${fields.map(([field, [value]]) => `<fx:${field}>${value}</fx:${field}>`).join('')}</rdf:Description>
<rdf:Description xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#" rdf:about=""><pdfaExtension:schemas><rdf:Bag>
<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>${FACTUR_X}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>${properties.join('')}</rdf:Seq></pdfaSchema:property></rdf:li>
</rdf:Bag></pdfaExtension:schemas></rdf:Description>`);
}

/** Height of capitals above the baseline, relative to the font size. It fits all fonts closely enough. */
export const CAP_HEIGHT = 0.76;

/**
 * Draws a PDF document. Positions are points from the top left corner. Text may use any script that the fonts have.
 * @param country country of the document's reader (see `scriptFor` in fonts.ts)
 */
export class PdfDrawing {
  readonly doc: PDFKit.PDFDocument;
  private readonly chunks: Buffer[] = [];
  private readonly finished: Promise<Buffer>;
  private readonly registered = new Set<string>();

  constructor(
    readonly country: string,
    {
      title,
      page,
      invoice,
    }: { title: string; page: readonly [width: number, height: number]; invoice?: EmbeddedInvoice },
  ) {
    const at = invoice === undefined ? {} : { CreationDate: invoice.at, ModDate: invoice.at };
    this.doc = new PDFDocument({
      size: [page[0], page[1]],
      margin: 0,
      autoFirstPage: false,
      ...(invoice === undefined ? {} : { subset: 'PDF/A-3b', pdfVersion: '1.7', lang: 'en' }),
      info: { Title: title, Producer: 'Pressline', Creator: 'Pressline', ...at },
    });
    if (invoice !== undefined) embed(this.doc, invoice);
    this.finished = new Promise((resolve, reject) => {
      this.doc.on('data', (chunk: Buffer) => this.chunks.push(chunk));
      this.doc.on('end', () => resolve(Buffer.concat(this.chunks)));
      this.doc.on('error', reject);
    });
  }

  addPage(): void {
    this.doc.addPage();
  }

  private use(script: Script, weight: Weight): void {
    const name = `${script}-${weight}`;
    if (!this.registered.has(name)) {
      this.doc.registerFont(name, font(script, weight) as unknown as Buffer);
      this.registered.add(name);
    }
    this.doc.font(name);
  }

  /** Returns the width of a line in points. */
  width(text: string, { size, weight = 'regular' }: TextStyle): number {
    return lineWidth(text, this.country, weight) * size;
  }

  /**
   * Draws one line with its top at `y`. A line wider than `style.width` is shrunk.
   * @returns the height of the line, including the gap to the next line
   */
  line(text: string, x: number, y: number, style: TextStyle): number {
    const { weight = 'regular', color = '#000000', width } = style;
    const natural = this.width(text, style);
    const size = width !== undefined && natural > width ? (style.size * width) / natural : style.size;
    const drawn = (natural * size) / style.size;
    const align = style.align ?? 'left';
    let left =
      x + (align === 'left' || width === undefined ? 0 : align === 'right' ? width - drawn : (width - drawn) / 2);
    this.doc.fillColor(color);
    for (const run of visualRuns(text, this.country)) {
      this.use(run.script, weight);
      this.doc.fontSize(size);
      this.doc.text(run.text, left, y + style.size * CAP_HEIGHT * 1.08, {
        lineBreak: false,
        baseline: 'alphabetic',
        // With a feature list, pdfkit lays out the whole run. Without one it works word by word and puts Arabic words in the wrong order.
        ...(RIGHT_TO_LEFT_SCRIPTS.includes(run.script) ? { features: [] } : {}),
      });
      left += runWidth(run.text, run.script, weight) * size;
    }
    return style.size * LEADING;
  }

  /**
   * Draws text in lines of `style.width`. Arabic and Hebrew paragraphs are aligned right.
   * @returns the height of the text
   */
  block(text: string, x: number, y: number, style: TextStyle & { readonly width: number }): number {
    const lines = wrap(text, { ...style, country: this.country });
    const align = style.align ?? (isRightToLeft(text) ? 'right' : 'left');
    lines.forEach((line, index) => {
      this.line(line, x, y + index * style.size * LEADING, { ...style, align });
    });
    return lines.length * style.size * LEADING;
  }

  /** Returns the height of text drawn by `block`. */
  blockHeight(text: string, style: TextStyle & { readonly width: number }): number {
    return wrap(text, { ...style, country: this.country }).length * style.size * LEADING;
  }

  rule(x1: number, y1: number, x2: number, y2: number, thickness = 0.75): void {
    this.doc.lineWidth(thickness).strokeColor('#000000').moveTo(x1, y1).lineTo(x2, y2).stroke();
  }

  box(x: number, y: number, width: number, height: number, thickness = 0.75): void {
    this.doc.lineWidth(thickness).strokeColor('#000000').rect(x, y, width, height).stroke();
  }

  fill(x: number, y: number, width: number, height: number, color = '#000000'): void {
    this.doc.fillColor(color).rect(x, y, width, height).fill();
  }

  /** Ends the document and returns its bytes. */
  async finish(): Promise<Buffer> {
    this.doc.end();
    return await this.finished;
  }
}
