/** Flags of the components of composite glyphs (OpenType `glyf`). */
const ARGS_ARE_WORDS = 0x0001;
const HAS_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const HAS_XY_SCALE = 0x0040;
const HAS_2X2 = 0x0080;
const HAS_INSTRUCTIONS = 0x0100;

/** Tables that a PDF viewer needs from an embedded TrueType font (ISO 32000-1, 9.9), in file order. */
const TABLES = ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'] as const;
type Table = (typeof TABLES)[number];

interface Outline {
  /** The glyph without hinting instructions, which printers do not need. */
  readonly bytes: Buffer;
  /** Offsets of component glyph numbers in the bytes. */
  readonly components: readonly { readonly at: number; readonly glyph: number }[];
}

/** A TrueType file whose glyphs are read on demand and cached. */
export class TrueTypeFile {
  private readonly tables: ReadonlyMap<string, Buffer>;
  private readonly longLoca: boolean;
  private readonly metricCount: number;
  private readonly outlines = new Map<number, Outline>();

  constructor(file: Buffer) {
    const tables = new Map<string, Buffer>();
    for (let index = 0; index < file.readUInt16BE(4); index++) {
      const entry = 12 + index * 16;
      const offset = file.readUInt32BE(entry + 8);
      tables.set(
        file.toString('latin1', entry, entry + 4),
        file.subarray(offset, offset + file.readUInt32BE(entry + 12)),
      );
    }
    this.tables = tables;
    this.longLoca = this.table('head').readInt16BE(50) === 1;
    this.metricCount = this.table('hhea').readUInt16BE(34);
  }

  table(name: Table): Buffer {
    const found = this.tables.get(name);
    if (found === undefined) throw new Error(`the font has no ${name} table`);
    return found;
  }

  private offset(glyph: number): number {
    const loca = this.table('loca');
    return this.longLoca ? loca.readUInt32BE(glyph * 4) : loca.readUInt16BE(glyph * 2) * 2;
  }

  outline(glyph: number): Outline {
    let outline = this.outlines.get(glyph);
    if (outline === undefined) {
      outline = readOutline(this.table('glyf').subarray(this.offset(glyph), this.offset(glyph + 1)));
      this.outlines.set(glyph, outline);
    }
    return outline;
  }

  /** Returns advance width and left side bearing from `hmtx`. */
  metrics(glyph: number): { advance: number; bearing: number } {
    const hmtx = this.table('hmtx');
    const long = Math.min(glyph, this.metricCount - 1);
    const bearingAt = glyph < this.metricCount ? glyph * 4 + 2 : this.metricCount * 4 + (glyph - this.metricCount) * 2;
    return { advance: hmtx.readUInt16BE(long * 4), bearing: hmtx.readInt16BE(bearingAt) };
  }
}

function readOutline(source: Buffer): Outline {
  if (source.length === 0) return { bytes: source, components: [] };
  const contours = source.readInt16BE(0);
  if (contours >= 0) {
    const lengthAt = 10 + contours * 2;
    const instructions = source.readUInt16BE(lengthAt);
    const head = Buffer.from(source.subarray(0, lengthAt + 2));
    head.writeUInt16BE(0, lengthAt);
    return { bytes: Buffer.concat([head, source.subarray(lengthAt + 2 + instructions)]), components: [] };
  }
  const components: { at: number; glyph: number }[] = [];
  const bytes = Buffer.from(source);
  let at = 10;
  for (let flags = MORE_COMPONENTS; (flags & MORE_COMPONENTS) !== 0; ) {
    flags = bytes.readUInt16BE(at);
    bytes.writeUInt16BE(flags & ~HAS_INSTRUCTIONS, at);
    components.push({ at: at + 2, glyph: bytes.readUInt16BE(at + 2) });
    at += 4 + ((flags & ARGS_ARE_WORDS) !== 0 ? 4 : 2);
    if ((flags & HAS_SCALE) !== 0) at += 2;
    else if ((flags & HAS_XY_SCALE) !== 0) at += 4;
    else if ((flags & HAS_2X2) !== 0) at += 8;
  }
  return { bytes: bytes.subarray(0, at), components };
}

/**
 * A TrueType font with the glyphs of one document, for pdfkit, which calls `includeGlyph` and `encode`. fontkit's own subset
 * decodes and encodes every glyph and keeps the hinting programs, which takes half of a label's CPU time (2.5 of 5 ms)
 * and twice the bytes.
 */
export class TrueTypeSubset {
  private readonly glyphs: number[] = [0];
  private readonly places = new Map<number, number>([[0, 0]]);

  constructor(private readonly file: TrueTypeFile) {}

  /** @returns the glyph's number in the subset */
  includeGlyph(glyph: number): number {
    let place = this.places.get(glyph);
    if (place === undefined) {
      place = this.glyphs.push(glyph) - 1;
      this.places.set(glyph, place);
    }
    return place;
  }

  encode(): Uint8Array {
    const outlines: Buffer[] = [];
    const offsets = [0];
    // The list grows during the loop, since components of composite glyphs are added to it.
    for (let place = 0; place < this.glyphs.length; place++) {
      const { bytes, components } = this.file.outline(this.glyphs[place]!);
      const own = components.length === 0 ? bytes : Buffer.from(bytes);
      for (const { at, glyph } of components) own.writeUInt16BE(this.includeGlyph(glyph), at);
      outlines.push(own);
      const padding = -own.length & 3;
      if (padding > 0) outlines.push(Buffer.alloc(padding));
      offsets.push(offsets.at(-1)! + own.length + padding);
    }
    const count = this.glyphs.length;
    const loca = Buffer.alloc(offsets.length * 4);
    offsets.forEach((offset, index) => {
      loca.writeUInt32BE(offset, index * 4);
    });
    const hmtx = Buffer.alloc(count * 4);
    this.glyphs.forEach((glyph, index) => {
      const { advance, bearing } = this.file.metrics(glyph);
      hmtx.writeUInt16BE(advance, index * 4);
      hmtx.writeInt16BE(bearing, index * 4 + 2);
    });
    const changed = (table: Table, change: (copy: Buffer) => void) => {
      const copy = Buffer.from(this.file.table(table));
      change(copy);
      return copy;
    };
    return sfnt({
      glyf: Buffer.concat(outlines),
      head: changed('head', (head) => head.writeInt16BE(1, 50)),
      hhea: changed('hhea', (hhea) => hhea.writeUInt16BE(count, 34)),
      hmtx,
      loca,
      maxp: changed('maxp', (maxp) => maxp.writeUInt16BE(count, 4)),
    });
  }
}

/** Returns a font file with the given tables. Checksums are 0, since viewers do not check those of embedded fonts. */
function sfnt(tables: Readonly<Record<Table, Buffer>>): Buffer {
  const header = Buffer.alloc(12 + TABLES.length * 16);
  header.writeUInt32BE(0x00010000, 0);
  header.writeUInt16BE(TABLES.length, 4);
  header.writeUInt16BE(64, 6);
  header.writeUInt16BE(2, 8);
  header.writeUInt16BE(TABLES.length * 16 - 64, 10);
  const parts: Buffer[] = [header];
  let offset = header.length;
  TABLES.forEach((name, index) => {
    const entry = 12 + index * 16;
    const table = tables[name];
    header.write(name, entry, 'latin1');
    header.writeUInt32BE(offset, entry + 8);
    header.writeUInt32BE(table.length, entry + 12);
    const padding = -table.length & 3;
    parts.push(table, Buffer.alloc(padding));
    offset += table.length + padding;
  });
  return Buffer.concat(parts);
}
