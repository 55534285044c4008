import { PdfArray, type PdfDict, PdfName, type PdfObject, type PdfStream } from '@libpdf/core';
import type { ColorModel } from '../facts';
import { profileOf } from '../icc-profile';
import { decodedBytes, filterNames, type PdfFile } from './pdf-file';

/** A colour space, as far as it matters for print. */
export interface ColorSpace {
  readonly model: ColorModel;
  readonly space: string;
  readonly profile: string | null;
  readonly colorants: readonly string[];
  /** Number of components, when each is a process ink. 0 for other spaces. */
  readonly inks: number;
}

const plain = (model: ColorModel, space: string): ColorSpace => ({
  model,
  space,
  profile: null,
  colorants: [],
  inks: space === 'DeviceCMYK' ? 4 : 0,
});

const NAMED: Readonly<Record<string, ColorSpace>> = Object.fromEntries(
  (
    [
      ['gray', 'DeviceGray', 'G', 'CalGray'],
      ['rgb', 'DeviceRGB', 'RGB', 'CalRGB'],
      ['cmyk', 'DeviceCMYK', 'CMYK', 'CalCMYK'],
    ] as const
  ).flatMap(([model, device, short, calibrated]) => [
    [device, plain(model, device)],
    [short, plain(model, device)],
    [calibrated, plain(model, calibrated)],
  ]),
);

export const GRAY = NAMED.DeviceGray!;
export const RGB = NAMED.DeviceRGB!;
export const CMYK = NAMED.DeviceCMYK!;
const LAB = plain('lab', 'Lab');

const PROCESS_COLORANTS = new Set(['Cyan', 'Magenta', 'Yellow', 'Black']);
const NO_COLORANTS = new Set(['None', 'All']);
const MAX_DEPTH = 4;
const MAX_COLORANTS = 32;

/** Finds the colour spaces of a file. Spaces of objects are read once. */
export class ColorSpaces {
  private readonly known = new Map<PdfObject, ColorSpace | null>();

  constructor(private readonly file: PdfFile) {}

  /**
   * Returns a colour space, or null for patterns without colours of their own and for damaged ones.
   * @param named the resources' colour spaces, for names
   */
  of(object: PdfObject | undefined, named: PdfDict | undefined, depth = 0): ColorSpace | null {
    const found = this.file.resolve(object);
    if (found instanceof PdfName) return this.byName(found.value, named, depth);
    if (!(found instanceof PdfArray) || depth > MAX_DEPTH) return null;
    return this.once(found, () => this.ofArray(found, named, depth));
  }

  /** Returns the colour space of an image. That of a JPEG 2000 image may be in its own header. */
  ofImage(image: PdfStream, named: PdfDict | undefined): ColorSpace | null {
    const own = image.get('ColorSpace');
    if (own !== undefined || !filterNames(this.file, image).includes('JPXDecode')) return this.of(own, named);
    return this.once(image, () => ({ ...plain('unknown', 'JPXDecode'), ...jpeg2000Color(image.data) }));
  }

  byName(name: string, named: PdfDict | undefined, depth = 0): ColorSpace | null {
    const own = named?.get(name);
    if (own !== undefined && depth <= MAX_DEPTH) {
      const space = this.file.resolve(own);
      if (!(space instanceof PdfName && space.value === name)) return this.of(space, named, depth + 1);
    }
    const space = NAMED[name];
    if (space === undefined) return null;
    // DefaultGray, DefaultRGB and DefaultCMYK stand in for the device spaces (ISO 32000-1, 8.6.5.6).
    const instead = space.space.startsWith('Device') ? named?.get(space.space.replace('Device', 'Default')) : undefined;
    return instead === undefined || depth > MAX_DEPTH ? space : (this.of(instead, undefined, depth + 1) ?? space);
  }

  private once(object: PdfObject, read: () => ColorSpace | null): ColorSpace | null {
    let space = this.known.get(object);
    if (space === undefined) {
      space = read();
      this.known.set(object, space);
    }
    return space;
  }

  private ofArray(array: PdfArray, named: PdfDict | undefined, depth: number): ColorSpace | null {
    const family = this.file.name(array.at(0)) ?? '';
    switch (family) {
      case 'Lab':
        return LAB;
      case 'ICCBased':
        return this.ofProfile(this.file.stream(array.at(1)), named, depth);
      case 'Indexed':
      case 'I':
      case 'Pattern':
        return this.of(array.at(1), named, depth + 1);
      case 'Separation':
        return this.ofColorants(family, [this.file.name(array.at(1)) ?? '']);
      case 'DeviceN': {
        const names = [...(this.file.array(array.at(1)) ?? [])].slice(0, MAX_COLORANTS);
        return this.ofColorants(
          family,
          names.map((name) => this.file.name(name) ?? ''),
        );
      }
      default:
        return this.byName(family, undefined, depth + 1);
    }
  }

  private ofColorants(space: string, names: readonly string[]): ColorSpace {
    const colorants = names.filter((name) => !PROCESS_COLORANTS.has(name) && !NO_COLORANTS.has(name));
    const inks = names.every((name) => PROCESS_COLORANTS.has(name)) ? names.length : 0;
    return { model: colorants.length > 0 ? 'spot' : 'cmyk', space, profile: null, colorants, inks };
  }

  private ofProfile(stream: PdfStream | undefined, named: PdfDict | undefined, depth: number): ColorSpace | null {
    return stream === undefined ? null : this.once(stream, () => this.readProfile(stream, named, depth));
  }

  private readProfile(stream: PdfStream, named: PdfDict | undefined, depth: number): ColorSpace | null {
    const profile = profileOf(decodedBytes(this.file, stream));
    const components = this.file.number(stream.get('N'));
    const model = profile?.model ?? ({ 1: 'gray', 3: 'rgb', 4: 'cmyk' } as const)[components as 1 | 3 | 4];
    if (model === undefined) return this.of(stream.get('Alternate'), named, depth + 1);
    return {
      model,
      space: 'ICCBased',
      profile: profile?.description ?? null,
      colorants: [],
      inks: model === 'cmyk' ? 4 : 0,
    };
  }
}

/** Returns the sum of the inks of a colour, or null when its components are no process inks. */
export function inkPercent(space: ColorSpace | null, components: readonly number[]): number | null {
  if (!space?.inks || components.length !== space.inks) return null;
  return Math.round(components.reduce((total, value) => total + Math.min(1, Math.max(0, value)), 0) * 100);
}

/** Enumerated colour spaces (ISO/IEC 15444-1, table I.10, and 15444-2, table M.25). */
const ENUMERATED: Readonly<Record<number, ColorModel>> = { 12: 'cmyk', 14: 'lab', 16: 'rgb', 17: 'gray', 18: 'rgb' };
/** The boxes of the header stand at the start. */
const HEADER_BYTES = 4096;
const METHOD_ENUMERATED = 1;

/** Returns the colours that the colour specification box of a JPEG 2000 image names (ISO/IEC 15444-1, I.5.3.3). */
function jpeg2000Color(bytes: Uint8Array): { readonly model: ColorModel; readonly profile: string | null } {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = data.subarray(0, HEADER_BYTES).indexOf('colr') + 4;
  const color = at === 3 || at + 7 > data.length ? null : data.subarray(at);
  if (color === null) return { model: 'unknown', profile: null };
  if (color[0] === METHOD_ENUMERATED) return { model: ENUMERATED[color.readUInt32BE(3)] ?? 'unknown', profile: null };
  const profile = profileOf(color.subarray(3));
  return { model: profile?.model ?? 'unknown', profile: profile?.description ?? null };
}
