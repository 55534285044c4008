import type { ColorModel } from './facts';

/** Colour space signatures of ICC profiles (ICC.1:2022, table 19). */
const MODELS: Readonly<Record<string, ColorModel>> = { GRAY: 'gray', 'RGB ': 'rgb', CMYK: 'cmyk', 'Lab ': 'lab' };
const HEADER_BYTES = 128;
const MAX_TAGS = 100;
const MAX_DESCRIPTION = 100;

export interface IccProfile {
  readonly model: ColorModel | undefined;
  readonly description: string | null;
}

/** Returns colour model and description of an ICC profile, or undefined when the bytes are none. */
export function profileOf(bytes: Uint8Array): IccProfile | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length < HEADER_BYTES + 4 || data.toString('latin1', 36, 40) !== 'acsp') return undefined;
  return { model: MODELS[data.toString('latin1', 16, 20)], description: descriptionOf(data) };
}

/** Returns the text of the tag `desc`: ASCII in version 2, UTF-16 of several languages in version 4. */
function descriptionOf(data: Buffer): string | null {
  const tags = Math.min(data.readUInt32BE(HEADER_BYTES), MAX_TAGS);
  for (let tag = 0; tag < tags; tag += 1) {
    const entry = HEADER_BYTES + 4 + tag * 12;
    if (entry + 12 > data.length) return null;
    if (data.toString('latin1', entry, entry + 4) === 'desc') return textAt(data, data.readUInt32BE(entry + 4));
  }
  return null;
}

function textAt(data: Buffer, at: number): string | null {
  if (at + 28 > data.length) return null;
  const type = data.toString('latin1', at, at + 4);
  if (type === 'desc') {
    const length = data.readUInt32BE(at + 8);
    return cleaned(data.toString('latin1', at + 12, at + 12 + Math.min(length, MAX_DESCRIPTION)));
  }
  if (type !== 'mluc') return null;
  const length = data.readUInt32BE(at + 20);
  const start = at + data.readUInt32BE(at + 24);
  const text = Buffer.from(data.subarray(start, start + Math.min(length, 2 * MAX_DESCRIPTION)));
  return cleaned(
    text
      .subarray(0, text.length & ~1)
      .swap16()
      .toString('utf16le'),
  );
}

/** Removes the null characters that end the text. */
function cleaned(text: string): string | null {
  return text.replace(/\0.*$/s, '').trim() || null;
}
