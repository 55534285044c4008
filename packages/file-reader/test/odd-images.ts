import { deflateSync } from 'node:zlib';
import { pngChunk } from '../../../sandbox/files/exhausting-files';

/** Makes images of every coding, so that a test decides each byte of them. The pixels are random, and equal each time. */

/** Returns numbers from 0 to `below`, always the same ones. */
function numbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface PngMaking {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colorType?: 0 | 2 | 3 | 4 | 6;
  readonly interlaced?: boolean;
  /** The share of the rows that is there. */
  readonly rows?: number;
  readonly palette?: boolean;
  /** Chunks before and behind the pixels. */
  readonly before?: readonly Buffer[];
  readonly behind?: readonly Buffer[];
  /** Changes the compressed pixels. Several buffers are several chunks. */
  readonly pixels?: (data: Buffer) => readonly Buffer[];
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

export function pngOf(making: PngMaking = {}): Buffer {
  const { width = 61, height = 43, depth = 8, colorType = 2, interlaced = false, rows = 1 } = making;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const next = numbers();
  const raw: number[] = [];
  for (const [left, top, across, down] of interlaced ? PASSES : [[0, 0, 1, 1] as const]) {
    const columns = Math.max(0, Math.ceil((width - left) / across));
    const lines = columns === 0 ? 0 : Math.max(0, Math.ceil((height - top) / down));
    const bytes = Math.ceil((columns * depth * CHANNELS[colorType]) / 8);
    // An index into the palette has its high bits 0.
    for (let line = 0; line < lines; line += 1)
      raw.push(next(5), ...Array.from({ length: bytes }, () => (colorType === 3 ? 0 : next(256))));
  }
  const data = deflateSync(Buffer.from(raw.slice(0, Math.floor(raw.length * rows))));
  const { palette = colorType === 3, before = [], behind = [], pixels = (whole) => [whole] } = making;
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    ...before,
    ...(palette ? [pngChunk('PLTE', Buffer.alloc(6))] : []),
    ...pixels(data).map((part) => pngChunk('IDAT', part)),
    ...behind,
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The control chunk of an animation of two images, and its second image. */
export const ANIMATION = { before: [pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))] };

export interface JpegMaking {
  readonly width?: number;
  readonly height?: number;
  /** Of each component, its blocks across and down in a unit. Four components are CMYK. */
  readonly sampling?: readonly (readonly [number, number])[];
  readonly progressive?: boolean;
  /** Each component in a scan of its own. */
  readonly apart?: boolean;
  /** Units between two restart markers. */
  readonly restarts?: number;
  /** 0xff before each marker. */
  readonly fill?: number;
  /** Segments behind the start. */
  readonly segments?: readonly Buffer[];
  /** Blocks of each component that are left out at the end. */
  readonly missing?: number;
  readonly without?: 'DQT' | 'DHT' | 'EOI' | 'last scan';
  readonly frame?: number;
}

export const jpegSegment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);

/** All codes have eight bits: an upper half of zeros before a coefficient, and a lower half of the size. */
const SYMBOLS = Array.from({ length: 16 * 11 }, (_, index) => (Math.floor(index / 11) << 4) | (index % 11));
const table = (number: number, symbols: readonly number[]) =>
  Buffer.from([number, 0, 0, 0, 0, 0, 0, 0, symbols.length, ...Array<number>(8).fill(0), ...symbols]);
const TABLES = Buffer.concat([table(0, SYMBOLS.slice(0, 11)), table(16, SYMBOLS)]);

class Bits {
  private readonly bytes: number[] = [];
  private open = '';

  put(value: number, count: number): void {
    if (count > 0) this.open += value.toString(2).padStart(count, '0').slice(-count);
    for (; this.open.length >= 8; this.open = this.open.slice(8)) this.byte(Number.parseInt(this.open.slice(0, 8), 2));
  }

  symbol(symbol: number): void {
    this.put(SYMBOLS.indexOf(symbol), 8);
  }

  /** A number of this many bits; one less for a negative one (ITU-T T.81, F.1.2.1). */
  signed(value: number, size: number): void {
    this.put(value < 0 ? value + (1 << size) - 1 : value, size);
  }

  marker(marker: number): void {
    this.flush();
    this.bytes.push(0xff, marker);
  }

  flush(): Buffer {
    if (this.open !== '') this.byte(Number.parseInt(this.open.padEnd(8, '1'), 2));
    this.open = '';
    return Buffer.from(this.bytes);
  }

  private byte(byte: number): void {
    this.bytes.push(byte, ...(byte === 0xff ? [0] : []));
  }
}

const sizeOf = (value: number) => (value === 0 ? 0 : 32 - Math.clz32(Math.abs(value)));
const shifted = (value: number, low: number) => Math.sign(value) * (Math.abs(value) >> low);

interface Part {
  readonly index: number;
  readonly across: number;
  readonly down: number;
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly blocks: readonly (readonly number[])[];
}

interface Scan {
  readonly parts: readonly Part[];
  readonly from: number;
  readonly to: number;
  readonly high: number;
  readonly low: number;
}

export function jpegOf(making: JpegMaking = {}): Buffer {
  const {
    width = 61,
    height = 43,
    sampling = [
      [2, 2],
      [1, 1],
      [1, 1],
    ],
    progressive = false,
  } = making;
  const [across, down] = [0, 1].map((side) => Math.max(...sampling.map((each) => each[side]!))) as [number, number];
  const [columns, rows] = [Math.ceil(width / (8 * across)), Math.ceil(height / (8 * down))];
  const next = numbers();
  const parts = sampling.map(([x, y], index): Part => {
    const block = () => Array.from({ length: 64 }, (_, at) => (at === 0 || next(9) === 0 ? next(31) - 15 : 0));
    const blocks = Array.from({ length: columns * x * rows * y }, (_, at) =>
      at % 3 === 0 ? Array(64).fill(0) : block(),
    );
    const own = (side: number, share: number) => Math.ceil(Math.ceil(side * share) / 8);
    return {
      ...{ index, across: x, down: y, stride: columns * x, blocks },
      ...{ width: own(width, x / across), height: own(height, y / down) },
    };
  });
  const scans: Scan[] = [];
  const add = (of: readonly Part[], from: number, to: number, high: number, low: number) =>
    scans.push({ parts: of, from, to, high, low });
  if (progressive) {
    add(parts, 0, 0, 0, 1);
    for (const part of parts) {
      add([part], 1, 5, 0, 2);
      add([part], 6, 63, 0, 2);
      add([part], 1, 63, 2, 1);
    }
    add(parts, 0, 0, 1, 0);
    for (const part of parts) add([part], 1, 63, 1, 0);
  } else for (const of of making.apart ? parts.map((part) => [part]) : [parts]) add(of, 0, 63, 0, 0);
  const frame = Buffer.from([
    8,
    0,
    height,
    0,
    width,
    parts.length,
    ...parts.flatMap((p) => [p.index + 1, (p.across << 4) | p.down, 0]),
  ]);
  const { restarts = 0, segments = [], without } = making;
  const marked = [
    ...segments,
    ...(without === 'DQT' ? [] : [jpegSegment(0xdb, Buffer.from([0, ...Array<number>(64).fill(1)]))]),
    jpegSegment(making.frame ?? (progressive ? 0xc2 : 0xc0), frame),
    ...(without === 'DHT' ? [] : [jpegSegment(0xc4, TABLES)]),
    ...(restarts === 0 ? [] : [jpegSegment(0xdd, Buffer.from([0, restarts]))]),
    ...scans.slice(0, without === 'last scan' ? -1 : undefined).map((scan) => scanOf(scan, making)),
  ];
  const end = without === 'EOI' ? [] : [Buffer.from([0xff, 0xd9])];
  const filled = [...marked, ...end].flatMap((part) => [Buffer.alloc(making.fill ?? 0, 0xff), part]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...filled]);
}

function scanOf(
  { parts, from, to, high, low }: Scan,
  { restarts = 0, missing = 0, progressive = false }: JpegMaking,
): Buffer {
  const tables = parts.flatMap(({ index }) => [index + 1, 0]);
  const head = jpegSegment(0xda, Buffer.from([parts.length, ...tables, from, to, (high << 4) | low]));
  const bits = new Bits();
  const before = new Map<Part, number>();
  /** Blocks without a new coefficient, and the bits of the known coefficients in them. */
  let run = 0;
  let waiting: number[] = [];
  const endRun = () => {
    if (run === 0) return;
    const size = 31 - Math.clz32(run);
    bits.symbol(size << 4);
    bits.put(run, size);
    for (const bit of waiting) bits.put(bit, 1);
    run = 0;
    waiting = [];
  };
  const first = (block: readonly number[], start: number) => {
    let zeros = 0;
    for (let at = start; at <= to; at += 1) {
      const value = shifted(block[at]!, low);
      if (value === 0) {
        zeros += 1;
        continue;
      }
      endRun();
      for (; zeros > 15; zeros -= 16) bits.symbol(0xf0);
      bits.symbol((zeros << 4) | sizeOf(value));
      bits.signed(value, sizeOf(value));
      zeros = 0;
    }
    if (zeros > 0) run += 1;
    if (!progressive) endRun();
  };
  const refine = (block: readonly number[]) => {
    const sizes = block.map((value) => Math.abs(value) >> low);
    const last = sizes.lastIndexOf(1, to);
    let zeros = 0;
    let known: number[] = [];
    const emit = (symbol: number, sign?: number) => {
      endRun();
      bits.symbol(symbol);
      if (sign !== undefined) bits.put(sign, 1);
      for (const bit of known) bits.put(bit, 1);
      known = [];
    };
    for (let at = from; at <= to; at += 1) {
      if (sizes[at] === 0) {
        zeros += 1;
        continue;
      }
      for (; zeros > 15 && at <= last; zeros -= 16) emit(0xf0);
      if (sizes[at]! > 1) known.push(sizes[at]! & 1);
      else {
        emit((zeros << 4) | 1, block[at]! > 0 ? 1 : 0);
        zeros = 0;
      }
    }
    if (zeros === 0 && known.length === 0) return;
    run += 1;
    waiting.push(...known);
  };
  const encode = (part: Part, at: number) => {
    const block = part.blocks[at]!;
    if (from === 0) {
      const value = block[0]! >> low;
      if (high > 0) return bits.put(value & 1, 1);
      const difference = value - (before.get(part) ?? 0);
      before.set(part, value);
      bits.symbol(sizeOf(difference));
      bits.signed(difference, sizeOf(difference));
    }
    if (to > 0 && high === 0) first(block, Math.max(1, from));
    if (to > 0 && high > 0) refine(block);
  };
  const units = unitsOf(parts);
  for (const [unit, blocks] of units.slice(0, units.length - missing).entries()) {
    if (restarts > 0 && unit > 0 && unit % restarts === 0) {
      endRun();
      bits.marker(0xd0 + ((unit / restarts - 1) % 8));
      before.clear();
    }
    for (const [part, at] of blocks) encode(part, at);
  }
  endRun();
  return Buffer.concat([head, bits.flush()]);
}

/** The blocks of each unit (A.2). */
function unitsOf(parts: readonly Part[]): (readonly (readonly [Part, number])[])[] {
  const [first] = parts as [Part];
  if (parts.length === 1) {
    const { width, height, stride } = first;
    return Array.from({ length: width * height }, (_, at) => [[first, Math.floor(at / width) * stride + (at % width)]]);
  }
  const columns = first.stride / first.across;
  return Array.from({ length: first.blocks.length / first.across / first.down }, (_, unit) =>
    parts.flatMap((part) =>
      Array.from({ length: part.across * part.down }, (_, each) => {
        const [x, y] = [each % part.across, Math.floor(each / part.across)];
        const row = Math.floor(unit / columns) * part.down + y;
        return [part, row * part.stride + (unit % columns) * part.across + x] as const;
      }),
    ),
  );
}
