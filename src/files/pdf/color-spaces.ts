import { PdfArray, type PdfDict, PdfName, type PdfObject, type PdfStream } from '@libpdf/core';
import type { ColorModel } from '../domain/file-facts';
import { profileOf } from '../icc-profile';
import { decodedBytes, type PdfFile } from './pdf-file';

/** A colour space, as far as it matters for print. */
export interface ColorSpace {
  readonly model: ColorModel;
  readonly space: string;
  readonly profile: string | null;
  readonly colorants: readonly string[];
  /** True for spaces whose components are the four process inks. */
  readonly inks: boolean;
}

const plain = (model: ColorModel, space: string): ColorSpace => ({
  model,
  space,
  profile: null,
  colorants: [],
  inks: space === 'DeviceCMYK',
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
/** Colours of a JPEG 2000 image without a colour space. */
export const IN_IMAGE = plain('unknown', 'JPXDecode');

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
    const known = this.known.get(found);
    if (known !== undefined) return known;
    const space = this.ofArray(found, named, depth);
    this.known.set(found, space);
    return space;
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
    return { model: colorants.length > 0 ? 'spot' : 'cmyk', space, profile: null, colorants, inks: false };
  }

  private ofProfile(stream: PdfStream | undefined, named: PdfDict | undefined, depth: number): ColorSpace | null {
    if (stream === undefined) return null;
    const known = this.known.get(stream);
    if (known !== undefined) return known;
    const space = this.readProfile(stream, named, depth);
    this.known.set(stream, space);
    return space;
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
      inks: model === 'cmyk',
    };
  }
}
