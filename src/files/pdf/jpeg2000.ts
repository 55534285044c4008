import type { ColorModel } from '../domain/file-facts';
import { profileOf } from '../icc-profile';

/** Enumerated colour spaces (ISO/IEC 15444-1, table I.10, and 15444-2, table M.25). */
const ENUMERATED: Readonly<Record<number, ColorModel>> = { 12: 'cmyk', 14: 'lab', 16: 'rgb', 17: 'gray', 18: 'rgb' };
/** The boxes of the header stand at the start. */
const HEADER_BYTES = 4096;
const METHOD_ENUMERATED = 1;

/** Returns the colours that the colour specification box of a JPEG 2000 image names (ISO/IEC 15444-1, I.5.3.3). */
export function jpeg2000Color(bytes: Uint8Array): { readonly model: ColorModel; readonly profile: string | null } {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = data.subarray(0, HEADER_BYTES).indexOf('colr') + 4;
  const color = at === 3 || at + 7 > data.length ? null : data.subarray(at);
  if (color === null) return { model: 'unknown', profile: null };
  if (color[0] === METHOD_ENUMERATED) return { model: ENUMERATED[color.readUInt32BE(3)] ?? 'unknown', profile: null };
  const profile = profileOf(color.subarray(3));
  return { model: profile?.model ?? 'unknown', profile: profile?.description ?? null };
}
