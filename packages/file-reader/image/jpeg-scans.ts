import { UnreadableFile } from '../opened-file';
import {
  frameOf,
  isFrame,
  type JpegFrame,
  type JpegSegment,
  jpegSegments,
  nextMarker,
  START_OF_SCAN,
} from './jpeg-segments';

/**
 * Decodes the pixel data of a JPEG up to the coefficients of its blocks (ITU-T T.81, annexes F and G), and keeps none of them: the
 * rest of a decoder is arithmetic that cannot fail. A progressive image keeps a bit for each coefficient. So the largest image
 * takes no memory that counts, and 10 MB of pixel data take 0.15 s of CPU.
 *
 * Not sharp or libvips, which decode in strips: they are LGPL, and a progressive image takes two bytes for each coefficient.
 * Not @napi-rs/canvas: it draws what is missing in grey and tells nobody.
 */

const damaged = (what = 'the image is damaged') => new UnreadableFile(what);
const truncated = () => damaged('the image is truncated');

const BASELINE = 0xc0;
const EXTENDED = 0xc1;
const PROGRESSIVE = 0xc2;
const RESTART = 0xd0;
/** Coefficients of a block. */
const COEFFICIENTS = 64;

/** A table of Huffman codes (F.2.2.3). */
interface HuffmanTable {
  /** For the next FAST bits: length of the code in the upper byte, value in the lower. 0: the code is longer. */
  readonly fast: Uint16Array;
  /** Behind the last code of each length, and the index of the first value less the first code. */
  readonly behind: Int32Array;
  readonly offsets: Int32Array;
  readonly values: Buffer;
}
const FAST = 9;

function huffmanTable(counts: Buffer, values: Buffer): HuffmanTable {
  const fast = new Uint16Array(1 << FAST);
  const behind = new Int32Array(17).fill(-1);
  const offsets = new Int32Array(17);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length += 1) {
    const count = counts[length - 1]!;
    offsets[length] = index - code;
    if (length <= FAST) {
      for (let each = 0; each < count; each += 1) {
        const from = (code + each) << (FAST - length);
        fast.fill((length << 8) | values[index + each]!, from, from + (1 << (FAST - length)));
      }
    }
    code += count;
    index += count;
    if (code > 1 << length) throw damaged();
    if (count > 0) behind[length] = code;
    code <<= 1;
  }
  return { fast, behind, offsets, values };
}

/** Reads the bits of a scan. A marker ends them. */
class ScanBits {
  private bits = 0;
  private count = 0;
  /** Zero bits that were added behind the end. */
  private padding = 0;

  constructor(
    private readonly jpeg: Buffer,
    private at: number,
  ) {}

  private fill(): void {
    while (this.count <= 24) {
      let byte = 0;
      if (this.padding > 0 || this.at >= this.jpeg.length) this.padding += 8;
      else {
        byte = this.jpeg[this.at]!;
        if (byte !== 0xff) this.at += 1;
        else if (this.jpeg[this.at + 1] === 0) this.at += 2;
        else {
          byte = 0;
          this.padding = 8;
        }
      }
      this.bits = (this.bits << 8) | byte;
      this.count += 8;
    }
  }

  private take(count: number): void {
    this.count -= count;
    if (this.count < this.padding) throw truncated();
  }

  /** Returns up to 16 bits as a number. */
  read(count: number): number {
    if (this.count < count) this.fill();
    const value = (this.bits >>> (this.count - count)) & ((1 << count) - 1);
    this.take(count);
    return value;
  }

  skip(count: number): void {
    let left = count;
    for (; left > 16; left -= 16) this.read(16);
    this.read(left);
  }

  symbol({ fast, behind, offsets, values }: HuffmanTable): number {
    if (this.count < 16) this.fill();
    const next = (this.bits >>> (this.count - 16)) & 0xffff;
    const found = fast[next >>> (16 - FAST)]!;
    if (found !== 0) {
      this.take(found >> 8);
      return found & 0xff;
    }
    for (let length = FAST + 1; length <= 16; length += 1) {
      const code = next >>> (16 - length);
      if (code < behind[length]!) {
        this.take(length);
        return values[code + offsets[length]!]!;
      }
    }
    throw this.count - 16 < this.padding ? truncated() : damaged();
  }

  /** Goes on behind a restart marker (B.1.1.3). Stray bytes before it are skipped. */
  restart(number: number): void {
    let at = this.jpeg.indexOf(0xff, this.at);
    while (at !== -1 && [0, 0xff].includes(this.jpeg[at + 1] ?? 1)) at = this.jpeg.indexOf(0xff, at + 1);
    if (at === -1 || this.jpeg[at + 1] !== RESTART + number) throw truncated();
    this.at = at + 2;
    this.count = 0;
    this.padding = 0;
  }

  /** Ends the scan. Data that no marker ends is what a cut transfer was filled up with: zeros can be blocks without content. */
  end(): void {
    if (this.at + 1 < this.jpeg.length && nextMarker(this.jpeg, this.at) === this.jpeg.length) throw truncated();
  }
}

/** A component of the frame, with what its scans have told so far. */
interface Component {
  readonly id: number;
  readonly across: number;
  readonly down: number;
  readonly quantization: number;
  /** Blocks of the component itself, and blocks with those that fill the last units (A.2). */
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly rows: number;
  /** Of each coefficient, the lowest bit that was read. -1: none. */
  readonly lowest: Int8Array;
  /** Progressive: a bit for each coefficient of each block that is not 0. Two numbers for each block. */
  known?: Uint32Array;
}

function componentsOf({ widthPx, heightPx, components }: JpegFrame): Component[] {
  const across = Math.max(...components.map((each) => each.across));
  const down = Math.max(...components.map((each) => each.down));
  const [columns, rows] = [Math.ceil(widthPx / (8 * across)), Math.ceil(heightPx / (8 * down))];
  return components.map((each) => ({
    ...each,
    width: Math.ceil(Math.ceil((widthPx * each.across) / across) / 8),
    height: Math.ceil(Math.ceil((heightPx * each.down) / down) / 8),
    stride: columns * each.across,
    rows: rows * each.down,
    lowest: new Int8Array(COEFFICIENTS).fill(-1),
  }));
}

/** Decodes all scans. @throws UnreadableFile when a part of the pixels is missing or damaged */
export function decodeJpeg(jpeg: Buffer): void {
  const tables = new Map<number, HuffmanTable>();
  const quantizations = new Set<number>();
  let components: Component[] | undefined;
  let isProgressive = false;
  let interval = 0;
  for (const segment of jpegSegments(jpeg)) {
    const { marker, data } = segment;
    if (marker === 0xdb) readQuantizations(data, quantizations);
    else if (marker === 0xc4) readTables(data, tables);
    else if (marker === 0xdd) interval = data.length < 2 ? 0 : data.readUInt16BE(0);
    else if (isFrame(marker)) {
      if (components !== undefined) throw damaged();
      const frame = frameOf(data);
      if (frame.precision !== 8) throw damaged(`the image has ${frame.precision} bits for each colour, a JPEG has 8`);
      if (![BASELINE, EXTENDED, PROGRESSIVE].includes(marker)) {
        throw damaged('the image has a rare kind of JPEG coding: lossless, hierarchical or arithmetic');
      }
      isProgressive = marker === PROGRESSIVE;
      components = componentsOf(frame);
    } else if (marker === START_OF_SCAN) {
      if (components === undefined) throw damaged('the image has no readable header');
      decodeScan(jpeg, segment, { components, tables, quantizations, interval, isProgressive });
    }
  }
  const hasScans = components?.some(({ lowest }) => lowest.some((bit) => bit !== -1)) === true;
  if (!hasScans) throw damaged('the image has no pixels');
  // A scan of each component, and the last bit of each coefficient that has a first one.
  const isWhole = components!.every(({ lowest }) => lowest[0] === 0 && lowest.every((bit) => bit <= 0));
  if (!isWhole) throw truncated();
}

/** Tables of quantization (B.2.4.1), of which only the number matters. */
function readQuantizations(data: Buffer, into: Set<number>): void {
  for (let at = 0; at < data.length; at += 1 + COEFFICIENTS * (data[at]! >> 4 === 0 ? 1 : 2)) into.add(data[at]! & 15);
}

/** Tables of Huffman codes (B.2.4.2): class and number, the counts of codes by length, the values. */
function readTables(data: Buffer, into: Map<number, HuffmanTable>): void {
  for (let at = 0; at + 17 <= data.length; ) {
    const counts = data.subarray(at + 1, at + 17);
    const end = at + 17 + counts.reduce((sum, count) => sum + count, 0);
    if (end > data.length) throw damaged();
    into.set(data[at]!, huffmanTable(counts, data.subarray(at + 17, end)));
    at = end;
  }
}

interface ScanState {
  readonly components: readonly Component[];
  readonly tables: ReadonlyMap<number, HuffmanTable>;
  readonly quantizations: ReadonlySet<number>;
  /** Units between two restart markers. 0: there are none. */
  readonly interval: number;
  readonly isProgressive: boolean;
}

/** Decodes the block at an index of its component. */
type DecodeBlock = (index: number) => void;

/** Decodes a scan (B.2.3). */
function decodeScan(jpeg: Buffer, { data, end }: JpegSegment, state: ScanState): void {
  const count = data[0] ?? 0;
  const [from = 0, to = 0, bits = 0] = data.subarray(1 + 2 * count);
  if (count < 1 || data.length < 4 + 2 * count || from > to || to >= COEFFICIENTS) throw damaged();
  const stream = new ScanBits(jpeg, end);
  const range = state.isProgressive ? { from, to, high: bits >> 4, low: bits & 15 } : { ...SEQUENTIAL };
  const run = { blocks: 0 };
  const parts = Array.from({ length: count }, (_, index) => {
    const [id = 0, numbers = 0] = data.subarray(1 + 2 * index);
    const component = state.components.find((each) => each.id === id);
    if (component === undefined) throw damaged();
    if (!state.quantizations.has(component.quantization)) throw damaged('the image has no quantization tables');
    const table = (number: number) => {
      const found = state.tables.get(number);
      if (found === undefined) throw damaged('the image has no Huffman tables');
      return found;
    };
    const [dc, ac] = [() => table(numbers >> 4), () => table(16 | (numbers & 15))];
    const decode = state.isProgressive
      ? progressive(stream, component, range, run, { dc, ac })
      : sequential(stream, dc(), ac());
    component.lowest.fill(range.low, range.from, range.to + 1);
    return { component, decode };
  });
  decodeUnits(parts, (unit) => {
    if (state.interval === 0 || unit === 0 || unit % state.interval !== 0) return;
    stream.restart((unit / state.interval - 1) % 8);
    run.blocks = 0;
  });
  stream.end();
}

const SEQUENTIAL = { from: 0, to: COEFFICIENTS - 1, high: 0, low: 0 };

/** Decodes the blocks of a scan in their order: those of one component row by row, those of several in units (A.2). */
function decodeUnits(
  parts: readonly { readonly component: Component; readonly decode: DecodeBlock }[],
  beforeUnit: (unit: number) => void,
): void {
  const [{ component, decode }] = parts as [(typeof parts)[number]];
  if (parts.length === 1) {
    const { width, height, stride } = component;
    for (let unit = 0; unit < width * height; unit += 1) {
      beforeUnit(unit);
      decode(Math.floor(unit / width) * stride + (unit % width));
    }
    return;
  }
  const [columns, rows] = [component.stride / component.across, component.rows / component.down];
  for (let unit = 0; unit < columns * rows; unit += 1) {
    beforeUnit(unit);
    const [left, top] = [unit % columns, Math.floor(unit / columns)];
    for (const { component, decode } of parts) {
      const { across, down, stride } = component;
      for (let y = 0; y < down; y += 1)
        for (let x = 0; x < across; x += 1) decode((top * down + y) * stride + left * across + x);
    }
  }
}

/** Reads all coefficients of a block (F.2.2). */
function sequential(stream: ScanBits, dc: HuffmanTable, ac: HuffmanTable): DecodeBlock {
  return () => {
    skipDifference(stream, dc);
    for (let at = 1; at < COEFFICIENTS; at += 1) {
      const symbol = stream.symbol(ac);
      const size = symbol & 15;
      if (size === 0) {
        if (symbol !== ZEROS) return;
        at += 15;
        continue;
      }
      at += symbol >> 4;
      if (at >= COEFFICIENTS) throw damaged();
      stream.read(size);
    }
  };
}

/** Sixteen coefficients that are 0. */
const ZEROS = 0xf0;

function skipDifference(stream: ScanBits, dc: HuffmanTable): void {
  const size = stream.symbol(dc);
  if (size > 15) throw damaged();
  stream.read(size);
}

interface Range {
  /** The first and last coefficient of the scan. */
  readonly from: number;
  readonly to: number;
  /** The bit that was read before, 0 for the first scan; and the bit that this scan reads. */
  readonly high: number;
  readonly low: number;
}

/** Reads a part of the coefficients of a block (G.1.2). @param run the blocks that follow without a new coefficient */
function progressive(
  stream: ScanBits,
  component: Component,
  { from, to, high }: Range,
  run: { blocks: number },
  tables: { readonly dc: () => HuffmanTable; readonly ac: () => HuffmanTable },
): DecodeBlock {
  if (from === 0) {
    if (to !== 0) throw damaged();
    if (high !== 0) return () => stream.skip(1);
    const dc = tables.dc();
    return () => skipDifference(stream, dc);
  }
  const ac = tables.ac();
  component.known ??= new Uint32Array(2 * component.stride * component.rows);
  const { known } = component;
  const isKnown = (block: number, at: number) => ((known[2 * block + (at >> 5)]! >>> (at & 31)) & 1) === 1;
  const learn = (block: number, at: number) => {
    known[2 * block + (at >> 5)]! |= 1 << (at & 31);
  };
  const runFrom = (symbol: number) => (1 << (symbol >> 4)) + stream.read(symbol >> 4);
  if (high === 0) {
    return (block) => {
      if (run.blocks > 0) {
        run.blocks -= 1;
        return;
      }
      for (let at = from; at <= to; at += 1) {
        const symbol = stream.symbol(ac);
        const size = symbol & 15;
        if (size === 0 && symbol !== ZEROS) {
          run.blocks = runFrom(symbol) - 1;
          return;
        }
        at += symbol >> 4;
        if (size === 0) continue;
        if (at >= COEFFICIENTS) throw damaged();
        learn(block, at);
        stream.read(size);
      }
    };
  }
  return (block) => {
    let at = from;
    while (run.blocks === 0 && at <= to) {
      const symbol = stream.symbol(ac);
      const size = symbol & 15;
      if (size === 0 && symbol !== ZEROS) {
        run.blocks = runFrom(symbol);
        break;
      }
      // The sign of the new coefficient.
      if (size !== 0) stream.skip(1);
      // Each known coefficient that is passed has a bit of its own.
      for (let zeros = symbol >> 4; at <= to; at += 1) {
        if (isKnown(block, at)) stream.skip(1);
        else if (--zeros < 0) break;
      }
      if (size !== 0 && at < COEFFICIENTS) learn(block, at);
      at += 1;
    }
    if (run.blocks === 0) return;
    for (; at <= to; at += 1) if (isKnown(block, at)) stream.skip(1);
    run.blocks -= 1;
  };
}
