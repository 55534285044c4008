/**
 * Operands of a content stream (ISO 32000-1, 7.8.2). Names are strings without their slash. The content of text strings is
 * not needed: they are null.
 */
export type Operand = number | string | boolean | null | Operand[] | InlineDict;
export type InlineDict = Map<string, Operand>;

export interface ContentReader {
  /** @param operands valid during the call only */
  operator(name: string, operands: readonly Operand[]): void;
  inlineImage(dict: InlineDict): void;
}

/** Operators have 33 operands at most: 32 colorants and a pattern. More are a fault of the file, and are dropped. */
const MAX_OPERANDS = 64;
const MAX_DEPTH = 32;

// Classes of bytes (ISO 32000-1, table 1 and 2).
const REGULAR = 0;
const SPACE = 1;
const DELIMITER = 2;
const CLASS = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) CLASS[byte] = SPACE;
for (const byte of Buffer.from('()<>[]{}/%')) CLASS[byte] = DELIMITER;

const HASH = 0x23;
const PERCENT = 0x25;
const OPEN = 0x28;
const CLOSE = 0x29;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const LESS = 0x3c;
const GREATER = 0x3e;
const CAPITAL_E = 0x45;
const CAPITAL_I = 0x49;
const BEGIN = 0x5b;
const ESCAPE = 0x5c;
const END = 0x5d;

/**
 * Reads a content stream and calls the reader for every operator. Damaged content is read as far as it makes sense; it never
 * throws. Not a parser of objects: content has no references, and its bulk are numbers, which no library reads as fast.
 */
export function readContent(bytes: Uint8Array, reader: ContentReader): void {
  const end = bytes.length;
  let at = 0;
  let operands: Operand[] = [];
  /** Arrays and dictionaries that are open, outermost first. Dictionaries are arrays until they close. */
  const open: { items: Operand[]; isDict: boolean }[] = [];
  let inlineDict: Operand[] | null = null;

  const push = (operand: Operand) => {
    const items = open.length === 0 ? operands : open[open.length - 1]!.items;
    if (items.length < MAX_OPERANDS) items.push(operand);
  };
  const close = (isDict: boolean) => {
    const closed = open.pop();
    if (closed === undefined) return;
    push(isDict && closed.isDict ? dictOf(closed.items) : closed.items);
  };
  const openWith = (isDict: boolean) => {
    if (open.length < MAX_DEPTH) open.push({ items: [], isDict });
  };
  const keyword = (word: string) => {
    if (word === 'true' || word === 'false') return push(word === 'true');
    if (word === 'null') return push(null);
    open.length = 0;
    if (word === 'BI') {
      inlineDict = [];
      operands = inlineDict;
      return;
    }
    if (word === 'ID' && inlineDict !== null) {
      const dict = dictOf(operands);
      inlineDict = null;
      reader.inlineImage(dict);
      at = endOfInlineImage(bytes, at + 1, dict);
    } else {
      reader.operator(word, operands);
    }
    operands = [];
  };

  while (at < end) {
    const byte = bytes[at]!;
    const kind = CLASS[byte];
    if (kind === SPACE) {
      at += 1;
    } else if ((byte >= ZERO && byte <= NINE) || byte === MINUS || byte === POINT || byte === PLUS) {
      // Numbers: read here, because most of the content is numbers.
      let negative = false;
      let whole = 0;
      let scale = 0;
      let next = byte;
      do {
        if (next === MINUS) negative = true;
        else if (next === POINT) scale = 1;
        else if (next !== PLUS) {
          whole = whole * 10 + (next - ZERO);
          scale *= 10;
        }
        at += 1;
        next = bytes[at]!;
      } while ((next >= ZERO && next <= NINE) || next === POINT || next === MINUS || next === PLUS);
      const value = scale > 1 ? whole / scale : whole;
      push(negative ? -value : value);
    } else if (byte === SLASH) {
      const from = at + 1;
      at = endOfRegular(bytes, from);
      push(nameOf(bytes, from, at));
    } else if (byte === OPEN) {
      at = endOfString(bytes, at);
      push(null);
    } else if (byte === LESS) {
      if (bytes[at + 1] === LESS) {
        openWith(true);
        at += 2;
      } else {
        const closing = bytes.indexOf(GREATER, at);
        at = closing === -1 ? end : closing + 1;
        push(null);
      }
    } else if (byte === GREATER) {
      if (bytes[at + 1] === GREATER) close(true);
      at += bytes[at + 1] === GREATER ? 2 : 1;
    } else if (byte === BEGIN) {
      openWith(false);
      at += 1;
    } else if (byte === END) {
      close(false);
      at += 1;
    } else if (byte === PERCENT) {
      while (at < end && bytes[at] !== 10 && bytes[at] !== 13) at += 1;
    } else if (kind === DELIMITER) {
      at += 1;
    } else {
      const from = at;
      at = endOfRegular(bytes, at);
      keyword(latin1(bytes, from, at));
    }
  }
}

function endOfRegular(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && CLASS[bytes[at]!] === REGULAR) at += 1;
  return at;
}

/** Longer names and operators are cut. ISO 32000-1 allows 127 bytes. */
const MAX_WORD = 255;

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < Math.min(to, from + MAX_WORD); at += 1) text += String.fromCharCode(bytes[at]!);
  return text;
}

function nameOf(bytes: Uint8Array, from: number, to: number): string {
  const text = latin1(bytes, from, to);
  if (!bytes.subarray(from, to).includes(HASH)) return text;
  return text.replace(/#([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function endOfString(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === ESCAPE) at += 1;
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  return at + 1;
}

function dictOf(items: readonly Operand[]): InlineDict {
  const dict: InlineDict = new Map();
  for (let at = 0; at + 1 < items.length; at += 2) {
    const key = items[at];
    if (typeof key === 'string') dict.set(key, items[at + 1]!);
  }
  return dict;
}

/** Bytes behind `EI` that are looked at: pixels that look like `EI` are followed by other pixels, not by text. */
const TEXT_AFTER_END = 10;

/** Returns the position behind the `EI` of an inline image. Pixels without a filter have a known length. */
function endOfInlineImage(bytes: Uint8Array, from: number, dict: InlineDict): number {
  const known = dict.has('F') || dict.has('Filter') ? 0 : (rawLength(dict) ?? 0);
  for (let at = bytes.indexOf(CAPITAL_E, from + known); at !== -1; at = bytes.indexOf(CAPITAL_E, at + 1)) {
    const follows = bytes[at + 2];
    const ends = bytes[at + 1] === CAPITAL_I && (follows === undefined || CLASS[follows] !== REGULAR);
    const begins = at === from + known || CLASS[bytes[at - 1]!] === SPACE;
    if (ends && begins && isText(bytes.subarray(at + 2, at + 2 + TEXT_AFTER_END))) return at + 2;
  }
  return bytes.length;
}

function isText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => (byte >= 32 && byte < 127) || CLASS[byte] === SPACE);
}

const COMPONENTS: Readonly<Record<string, number>> = {
  G: 1,
  DeviceGray: 1,
  RGB: 3,
  DeviceRGB: 3,
  CMYK: 4,
  DeviceCMYK: 4,
};

/** Returns the bytes of the pixels of an inline image without a filter, or null when its colours are not known here. */
function rawLength(dict: InlineDict): number | null {
  const isMask = (dict.get('IM') ?? dict.get('ImageMask')) === true;
  const components = isMask ? 1 : COMPONENTS[String(dict.get('CS') ?? dict.get('ColorSpace'))];
  const bits = isMask ? 1 : Number(dict.get('BPC') ?? dict.get('BitsPerComponent'));
  const [width, height] = [Number(dict.get('W') ?? dict.get('Width')), Number(dict.get('H') ?? dict.get('Height'))];
  const length = components === undefined ? Number.NaN : Math.ceil((width * components * bits) / 8) * height;
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}
