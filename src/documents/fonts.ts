import { type Font, openSync } from 'fontkit';
import type { z } from 'zod';

export type Weight = 'regular' | 'bold';

/** Returns the font files of a family. @param bold weight of its bold font */
const family = (folder: string, name: string, bold = '700Bold'): Readonly<Record<Weight, string>> => ({
  regular: `@expo-google-fonts/${folder}/400Regular/${name}_400Regular.ttf`,
  bold: `@expo-google-fonts/${folder}/${bold}/${name}_${bold}.ttf`,
});

/** The fonts of documents by script. Documents embed subsets of them. */
const FILES = {
  latin: family('noto-sans', 'NotoSans'),
  arabic: family('noto-sans-arabic', 'NotoSansArabic'),
  hebrew: family('noto-sans-hebrew', 'NotoSansHebrew'),
  thai: family('noto-sans-thai', 'NotoSansThai'),
  japanese: family('biz-udpgothic', 'BIZUDPGothic'),
  korean: family('nanum-gothic', 'NanumGothic'),
  // Simplified and traditional Chinese, and characters that the Japanese font lacks. The font has one weight.
  chinese: family('chocolate-classical-sans', 'ChocolateClassicalSans', '400Regular'),
};

export type Script = keyof typeof FILES;

/** Order in which fonts are searched for a character. Han characters differ by country, so Japan has its own order. */
const ORDER: readonly Script[] = ['latin', 'arabic', 'hebrew', 'thai', 'korean', 'chinese', 'japanese'];
const ORDER_JAPAN: readonly Script[] = ['latin', 'japanese', 'korean', 'chinese', 'arabic', 'hebrew', 'thai'];

/** Returns the scripts in the order in which their fonts are searched for a character of a text read in `country`. */
export function scriptOrder(country: string): readonly Script[] {
  return country === 'JP' ? ORDER_JAPAN : ORDER;
}

const fonts = new Map<string, Font>();
const lookedUp = new Set<Font>();

/** Returns the path of a font file, for renderers that load font files. */
export function fontPath(script: Script, weight: Weight): string {
  return require.resolve(FILES[script][weight]);
}

function opened(script: Script, weight: Weight): Font {
  const name = `${script}/${weight}`;
  let parsed = fonts.get(name);
  if (parsed === undefined) {
    parsed = openSync(fontPath(script, weight)) as Font;
    fonts.set(name, parsed);
  }
  return parsed;
}

/**
 * Returns a parsed font, cached for the life of the process. All its characters are looked up first, in 1 ms of CPU (Hebrew)
 * to 60 ms (Japanese): fontkit remembers with a glyph the character of its first look-up, by which text is copied from a
 * PDF, and its subsets look up parts of letters, such as the o of ö, without one.
 */
export function font(script: Script, weight: Weight): Font {
  const parsed = opened(script, weight);
  if (!lookedUp.has(parsed)) {
    lookedUp.add(parsed);
    for (const codePoint of parsed.characterSet) {
      const character = String.fromCodePoint(codePoint);
      // Of characters with one glyph, such as an ideograph and its radical, it must remember the usual one.
      if (character.normalize('NFKC') === character) parsed.glyphForCodePoint(codePoint);
    }
  }
  return parsed;
}

const widths = new Map<string, number>();

/**
 * Returns the width of a text at a font size of 1 pt. Widths are cached, since each line of a document is measured four
 * times: 5 ms of CPU for the text of a label instead of 9.
 */
export function runWidth(text: string, script: Script, weight: Weight): number {
  const key = `${script}/${weight}/${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    const face = font(script, weight);
    width = face.layout(text).advanceWidth / face.unitsPerEm;
    if (widths.size >= 1_000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

const coverage = new Map<number, readonly Script[]>();

/**
 * Returns true when a font can draw a character. Nanum Gothic's character map names glyphs beyond the end of its glyph
 * table for space and grave accent, and fontkit throws for these.
 */
function draws(parsed: Font, codePoint: number): boolean {
  if (!parsed.hasGlyphForCodePoint(codePoint)) return false;
  try {
    return parsed.glyphForCodePoint(codePoint).advanceWidth >= 0;
  } catch {
    return false;
  }
}

function scriptsWith(codePoint: number): readonly Script[] {
  let scripts = coverage.get(codePoint);
  if (scripts === undefined) {
    scripts = ORDER.filter((script) => draws(opened(script, 'regular'), codePoint));
    coverage.set(codePoint, scripts);
  }
  return scripts;
}

/** Returns true for Latin letters, digits and punctuation up to U+017F. Most texts need no other font to be opened. */
const isLatin1 = (codePoint: number) => codePoint < 0x180;
/** Spaces, digits and punctuation, which use the font of the preceding character. */
const COMMON = /^[\s\d\p{P}\p{S}]$/u;
const MARK = /^\p{M}$/u;

/**
 * Returns the script whose font draws a character. Common characters keep the preceding script when its font has them.
 * @returns undefined when no font has the character
 */
export function scriptFor(character: string, country: string, previous?: Script): Script | undefined {
  const codePoint = character.codePointAt(0)!;
  if (previous === undefined || previous === 'latin') {
    if (isLatin1(codePoint)) return 'latin';
  }
  const scripts = scriptsWith(codePoint);
  if (previous !== undefined && scripts.includes(previous) && (COMMON.test(character) || MARK.test(character))) {
    return previous;
  }
  return scriptOrder(country).find((script) => scripts.includes(script));
}

/** Texts whose every character the Latin font has, which need no further check. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u017f]*$/;
/**
 * Characters without an image of their own: variation selectors, and format characters except the zero-width non-joiner,
 * which separates letters in Arabic script.
 */
const UNSEEN = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?!\u200c)\p{Cf}/u;

/**
 * Returns a text without the characters that no font can print, such as emoji. Control characters become spaces. When
 * characters are left out, spaces that are redundant without them are left out too.
 */
export function printableText(text: string): string {
  if (PLAIN.test(text)) return text;
  const normalized = text.normalize('NFC');
  let printed = '';
  for (const character of normalized) {
    if (/\p{Cc}/u.test(character)) printed += ' ';
    else if (!UNSEEN.test(character) && isPrintable(character)) printed += character;
  }
  return printed === normalized ? printed : printed.replace(/\s{2,}/g, ' ').trim();
}

function isPrintable(character: string): boolean {
  const codePoint = character.codePointAt(0)!;
  return isLatin1(codePoint) || scriptsWith(codePoint).length > 0;
}

/**
 * Text on labels and customs forms. Characters that no embedded font has, such as emoji, are stored and left out when the
 * text is printed. A text that has no printable character is refused.
 */
export const labelText = (text: z.ZodString) =>
  text.refine(
    (value) => value.trim() === '' || printableText(value) !== '',
    'Has no character that can be printed on labels.',
  );
