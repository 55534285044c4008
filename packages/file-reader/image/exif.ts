/** What an image says about itself beside its pixels. */
export interface ExifTags {
  /** 1 to 8: how it is turned and mirrored to be displayed. */
  readonly orientation: number;
  /** Pixels per inch. Null: none, or different ones in both directions. */
  readonly dpi: number | null;
}

const ORIENTATION = 0x112;
const X_RESOLUTION = 0x11a;
const Y_RESOLUTION = 0x11b;
const RESOLUTION_UNIT = 0x128;
/** The first image of EXIF has thirty tags at most. */
const MAX_TAGS = 200;

/** Reads the first image of EXIF metadata (JEITA CP-3451, 4.6.4). What is damaged is left out. @param tiff behind `Exif\0\0` */
export function exifTags(tiff: Buffer): ExifTags {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const start = u32(4);
  const entries = new Map<number, number>();
  for (let tag = 0; tag < Math.min(u16(start), MAX_TAGS); tag += 1) {
    const at = start + 2 + 12 * tag;
    if (!entries.has(u16(at))) entries.set(u16(at), at + 8);
  }
  const short = (tag: number) => u16(entries.get(tag) ?? tiff.length);
  const ratio = (tag: number) => {
    const at = u32(entries.get(tag) ?? tiff.length);
    return at === 0 ? 0 : u32(at) / u32(at + 4);
  };
  const orientation = short(ORIENTATION);
  const isMetric = short(RESOLUTION_UNIT) === 3;
  return {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    dpi: dpiOf(ratio(X_RESOLUTION), ratio(Y_RESOLUTION), isMetric ? 1 / 2.54 : 1),
  };
}

/** Returns pixels per inch of a resolution. @param inches the unit of the resolution */
export function dpiOf(x: number, y: number, inches: number): number | null {
  const dpi = Math.round((x / inches) * 100) / 100;
  return x === y && Number.isFinite(dpi) && dpi > 0 ? dpi : null;
}
