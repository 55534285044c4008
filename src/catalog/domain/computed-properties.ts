import Decimal from 'decimal.js';
import type { PropertyValue } from '../attributes';

const HEX_COLOUR = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i;

/** Returns red, green and blue (0 to 255) of `#rgb` or `#rrggbb`, or undefined for any other text. */
function rgbOf(hex: string): readonly [number, number, number] | undefined {
  const match = HEX_COLOUR.exec(hex);
  if (match === null) return undefined;
  const digits = match[2] ?? [...match[1]!].map((digit) => digit + digit).join('');
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as [number, number, number];
}

/** Returns cyan, magenta, yellow and black in percent, by the formula without a colour profile. */
function cmykOf([red, green, blue]: readonly [number, number, number]): readonly number[] {
  const black = 1 - Math.max(red, green, blue) / 255;
  if (black === 1) return [0, 0, 0, 100];
  const ink = (part: number) => Math.round(((1 - part / 255 - black) / (1 - black)) * 100);
  return [ink(red), ink(green), ink(blue), Math.round(black * 100)];
}

/** Returns `widthIn` for `widthMm` and `width_in` for `width_mm`, or undefined for other names. */
function inchName(name: string): string | undefined {
  if (/[a-z0-9]Mm$/.test(name)) return `${name.slice(0, -2)}In`;
  if (/_mm$/.test(name)) return `${name.slice(0, -2)}in`;
  return undefined;
}

/**
 * Returns the properties of an attribute value with computed ones added (schema `AttributeValue`): `rgb` and `cmyk`
 * from the first hex colour code, inches (three decimals) from millimetres. Never replaces a given property.
 */
export function withComputedProperties(
  properties: Readonly<Record<string, PropertyValue>>,
): Record<string, PropertyValue> {
  const computed: Record<string, PropertyValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    const rgb = typeof value === 'string' && computed.rgb === undefined ? rgbOf(value) : undefined;
    if (rgb !== undefined) {
      computed.rgb = `rgb(${rgb.join(', ')})`;
      computed.cmyk = `cmyk(${cmykOf(rgb).join('%, ')}%)`;
    }
    const inches = inchName(name);
    if (inches === undefined || Array.isArray(value) || String(value).trim() === '') continue;
    const mm = Number(value);
    if (Number.isFinite(mm)) computed[inches] = new Decimal(mm).div('25.4').toDecimalPlaces(3).toNumber();
  }
  return { ...computed, ...properties };
}
