import { deflateSync } from 'node:zlib';

/** Writes PDF files object by object, so that a test decides every byte of them. */

export type Reference = `${number} 0 R`;

/** How the file says where its objects are. */
export type Layout = 'table' | 'stream' | 'shifted' | 'missing' | 'linearized';

interface FileOptions {
  readonly version?: string;
  readonly layout?: Layout;
  readonly info?: string;
}

const LINE = Buffer.from('\n');

export class PdfBuilder {
  private readonly bodies: Buffer[] = [];

  /** Adds an object, or fills a reserved one. */
  add(body: string | Buffer, at: Reference = this.reserve()): Reference {
    this.bodies[numberOf(at) - 1] = Buffer.from(body as string, 'latin1');
    return at;
  }

  reserve(): Reference {
    this.bodies.push(Buffer.from('null'));
    return `${this.bodies.length} 0 R`;
  }

  /** @param dict entries of the stream, without brackets and length */
  stream(data: string | Buffer, dict = '', at?: Reference): Reference {
    const bytes = Buffer.from(data as string, 'latin1');
    const head = Buffer.from(`<< /Length ${bytes.length} ${dict} >>\nstream\n`, 'latin1');
    return this.add(Buffer.concat([head, bytes, Buffer.from('\nendstream')]), at);
  }

  /** A stream that is compressed. */
  flate(data: string | Buffer, dict = ''): Reference {
    return this.stream(deflateSync(Buffer.from(data as string, 'latin1')), `/Filter /FlateDecode ${dict}`);
  }

  file(root: Reference, { version = '1.6', layout = 'table', info }: FileOptions = {}): Buffer {
    const trailer = `/Root ${root}${info === undefined ? '' : ` /Info ${this.add(info)}`}`;
    const parts: Buffer[] = [Buffer.from(`%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`, 'latin1')];
    if (layout === 'linearized') return this.linearized(parts[0]!, trailer);
    let length = parts[0]!.length;
    const write = (part: Buffer) => {
      parts.push(part);
      length += part.length;
    };
    const offsets = new Map<number, number>();
    const writeObject = (number: number, body: Buffer) => {
      offsets.set(number, length);
      write(objectOf(number, body));
    };
    if (layout === 'stream') this.writeStreams(writeObject, write, offsets, () => length, trailer);
    else {
      for (const [index, body] of this.bodies.entries()) writeObject(index + 1, body);
      if (layout !== 'missing') {
        const shift = layout === 'shifted' ? 7 : 0;
        const size = this.bodies.length + 1;
        const rows = [...offsets.values()].map((at) => `${String(at + shift).padStart(10, '0')} 00000 n \n`).join('');
        const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} ${trailer} >>\n`;
        write(Buffer.from(`${table}startxref\n${length}\n%%EOF\n`));
      } else {
        write(Buffer.from(`trailer\n<< /Size ${this.bodies.length + 1} ${trailer} >>\n%%EOF\n`));
      }
    }
    return Buffer.concat(parts);
  }

  /** Writes the last object, which is the root, first, behind a table of its own (ISO 32000-1, annex F). It has no hints. */
  private linearized(header: Buffer, trailer: string): Buffer {
    const count = this.bodies.length;
    const digits = (value: number) => String(value).padStart(10, '0');
    const row = (at: number) => `${digits(at)} 00000 n \n`;
    const pages = this.bodies.filter((body) => /\/Type \/Page\b/.test(body.toString('latin1'))).length;
    const objects = this.bodies.map((body, index) => objectOf(index + 1, body));
    objects.unshift(objects.pop()!);
    const begin = (length: number, first: number, table: number) => {
      const [size, end, at] = [length, first, table].map(digits);
      const entries = `/Linearized 1 /L ${size} /H [${end} 0] /O 3 /E ${end} /N ${pages} /T ${at}`;
      const dict = objectOf(count + 1, Buffer.from(`<< ${entries} >>`));
      const rows = `xref\n${count} 2\n${row(first)}${row(header.length)}`;
      const start = header.length + dict.length;
      const text = `${rows}trailer\n<< /Size ${count + 2} /Prev ${at} ${trailer} >>\nstartxref\n0\n%%EOF\n`;
      return { start, bytes: Buffer.concat([header, dict, Buffer.from(text)]) };
    };
    const first = begin(0, 0, 0).bytes.length;
    const offsets = objects.map((_, index) => objects.slice(0, index).reduce((sum, { length }) => sum + length, first));
    const table = offsets.at(-1)! + objects.at(-1)!.length;
    const { start } = begin(0, 0, 0);
    const rows = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.slice(1).map(row).join('')}`;
    const end = Buffer.from(`${rows}trailer\n<< /Size ${count} >>\nstartxref\n${start}\n%%EOF\n`);
    return Buffer.concat([begin(table + end.length, first, table).bytes, ...objects, end]);
  }

  /** Writes objects without streams into an object stream, and a cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8). */
  private writeStreams(
    writeObject: (number: number, body: Buffer) => void,
    write: (part: Buffer) => void,
    offsets: ReadonlyMap<number, number>,
    lengthNow: () => number,
    trailer: string,
  ): void {
    const inside: { number: number; body: Buffer }[] = [];
    for (const [index, body] of this.bodies.entries()) {
      if (body.includes('endstream')) writeObject(index + 1, body);
      else inside.push({ number: index + 1, body });
    }
    let at = 0;
    const pairs = inside.map(({ number, body }) => {
      const pair = `${number} ${at}`;
      at += body.length + 1;
      return pair;
    });
    const head = `${pairs.join(' ')}\n`;
    const data = deflateSync(Buffer.concat([Buffer.from(head), ...inside.flatMap(({ body }) => [body, LINE])]));
    const holder = this.bodies.length + 1;
    const dict = `<< /Type /ObjStm /N ${inside.length} /First ${head.length} /Filter /FlateDecode /Length ${data.length} >>`;
    writeObject(holder, Buffer.concat([Buffer.from(`${dict}\nstream\n`), data, Buffer.from('\nendstream')]));
    const table = holder + 1;
    const start = lengthNow();
    const rows = Buffer.alloc((table + 1) * 7);
    for (let number = 1; number <= table; number += 1) {
      const index = inside.findIndex((each) => each.number === number);
      const offset = number === table ? start : offsets.get(number);
      rows[number * 7] = index === -1 ? 1 : 2;
      rows.writeUInt32BE(index === -1 ? (offset ?? 0) : holder, number * 7 + 1);
      rows.writeUInt16BE(index === -1 ? 0 : index, number * 7 + 5);
    }
    const rowData = deflateSync(rows);
    const tableDict = `<< /Type /XRef /W [1 4 2] /Size ${table + 1} /Filter /FlateDecode /Length ${rowData.length} ${trailer} >>`;
    const body = Buffer.concat([Buffer.from(`${tableDict}\nstream\n`), rowData, Buffer.from('\nendstream')]);
    write(Buffer.concat([Buffer.from(`${table} 0 obj\n`), body, Buffer.from('\nendobj\n')]));
    write(Buffer.from(`startxref\n${start}\n%%EOF\n`));
  }
}

const objectOf = (number: number, body: Buffer) =>
  Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, LINE, Buffer.from('endobj\n')]);

function numberOf(reference: Reference): number {
  return Number.parseInt(reference, 10);
}

/** A page of a sample. Entries are PDF syntax. */
export interface SamplePage {
  readonly boxes?: string;
  readonly content?: string | Buffer;
  readonly resources?: string;
  /** Other entries of the page. */
  readonly entries?: string;
}

export interface SampleFile extends FileOptions {
  readonly pages?: readonly SamplePage[];
  /** Entries of the catalog. */
  readonly catalog?: string;
  /** Entries of the root of the page tree. */
  readonly tree?: string;
}

/** Boxes of a page of 580 x 780 points with a bleed of 10 points. */
export const BOXES = '/MediaBox [0 0 600 800] /BleedBox [0 0 600 800] /TrimBox [10 10 590 790]';
/** A black square. */
export const SQUARE = '0 0 0 1 k 100 100 50 50 re f\n';

/** Returns a PDF with these pages. Pages have BOXES and SQUARE unless they say otherwise. */
export function sampleFile(
  pdf: PdfBuilder,
  { pages = [{}], catalog = '', tree = '', ...options }: SampleFile = {},
): Buffer {
  const parent = pdf.reserve();
  const kids = pages.map(({ boxes = BOXES, content = SQUARE, resources, entries = '' }) => {
    const contents = pdf.stream(content);
    const dict = resources === undefined ? '' : `/Resources << ${resources} >>`;
    return pdf.add(`<< /Type /Page /Parent ${parent} ${boxes} /Contents ${contents} ${dict} ${entries} >>`);
  });
  pdf.add(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(' ')}] ${tree} >>`, parent);
  return pdf.file(pdf.add(`<< /Type /Catalog /Pages ${parent} ${catalog} >>`), options);
}

/** Adds an RGB image. Its pixels are zeros unless they are given. */
export function imageObject(
  pdf: PdfBuilder,
  widthPx: number,
  heightPx: number,
  { space = '/DeviceRGB', components = 3, dict = '' }: { space?: string; components?: number; dict?: string } = {},
): Reference {
  const entries = `/Type /XObject /Subtype /Image /Width ${widthPx} /Height ${heightPx} /BitsPerComponent 8 /ColorSpace ${space}`;
  return pdf.flate(Buffer.alloc(widthPx * heightPx * components), `${entries} ${dict}`);
}

/** Returns an ICC profile with a header and a description only. */
export function iccProfile(space: 'RGB ' | 'CMYK' | 'GRAY', description: string, version: 2 | 4 = 2): Buffer {
  const header = Buffer.alloc(128);
  header[8] = version;
  header.write('prtr', 12, 'latin1');
  header.write(space, 16, 'latin1');
  header.write('Lab ', 20, 'latin1');
  header.write('acsp', 36, 'latin1');
  const text = version === 2 ? ascii(description) : multilingual(description);
  const tag = Buffer.alloc(16);
  tag.writeUInt32BE(1, 0);
  tag.write('desc', 4, 'latin1');
  tag.writeUInt32BE(144, 8);
  tag.writeUInt32BE(text.length, 12);
  const profile = Buffer.concat([header, tag, text]);
  profile.writeUInt32BE(profile.length, 0);
  return profile;
}

function ascii(text: string): Buffer {
  const tag = Buffer.alloc(12 + text.length + 1 + 78);
  tag.write('desc', 0, 'latin1');
  tag.writeUInt32BE(text.length + 1, 8);
  tag.write(text, 12, 'latin1');
  return tag;
}

function multilingual(text: string): Buffer {
  const tag = Buffer.alloc(28 + text.length * 2);
  tag.write('mluc', 0, 'latin1');
  tag.writeUInt32BE(1, 8);
  tag.writeUInt32BE(12, 12);
  tag.write('enUS', 16, 'latin1');
  tag.writeUInt32BE(text.length * 2, 20);
  tag.writeUInt32BE(28, 24);
  Buffer.from(text, 'utf16le').swap16().copy(tag, 28);
  return tag;
}
