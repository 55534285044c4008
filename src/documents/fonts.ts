import { type Font, openSync } from 'fontkit';
import type { z } from 'zod';

export type Weight = 'regular' | 'bold';

/** Returns the font files of a family. @param bold weight of its bold font */
const family = (folder: string, name: string, bold = '700Bold'): Readonly<Record<Weight, string>> => ({
  regular: `@expo-google-fonts/${folder}/400Regular/${name}_400Regular.ttf`,
  bold: `@expo-google-fonts/${folder}/${bold}/${name}_${bold}.ttf`,
});

const noto = (name: string, bold?: string) => family(`noto-sans-${name.toLowerCase()}`, `NotoSans${name}`, bold);

/** Fonts of one script each, by the name that Unicode has for it. */
const OWN_SCRIPT = {
  arabic: noto('Arabic'),
  armenian: noto('Armenian'),
  bengali: noto('Bengali'),
  ethiopic: noto('Ethiopic'),
  georgian: noto('Georgian'),
  gujarati: noto('Gujarati'),
  gurmukhi: noto('Gurmukhi'),
  hebrew: noto('Hebrew'),
  kannada: noto('Kannada'),
  khmer: noto('Khmer'),
  lao: noto('Lao'),
  malayalam: noto('Malayalam'),
  oriya: noto('Oriya'),
  sinhala: noto('Sinhala'),
  tamil: noto('Tamil'),
  telugu: noto('Telugu'),
  thaana: noto('Thaana'),
  thai: noto('Thai'),
  tifinagh: noto('Tifinagh', '400Regular'),
};
type OwnScript = keyof typeof OWN_SCRIPT;

/**
 * The fonts of documents by script. Documents embed subsets of them. Burmese is left out: fontkit does not put its letters in
 * order.
 */
const FILES = {
  // Greek, Cyrillic and Devanagari too.
  latin: family('noto-sans', 'NotoSans'),
  ...OWN_SCRIPT,
  japanese: family('biz-udpgothic', 'BIZUDPGothic'),
  korean: family('nanum-gothic', 'NanumGothic'),
  // Simplified and traditional Chinese, and characters that the Japanese font lacks. The font has one weight.
  chinese: family('chocolate-classical-sans', 'ChocolateClassicalSans', '400Regular'),
};

export type Script = keyof typeof FILES;

const OWN_SCRIPTS = Object.keys(OWN_SCRIPT) as OwnScript[];
/** Characters of each of these scripts, and those that it shares with others. */
const CHARACTERS: Readonly<Record<OwnScript, RegExp>> & Partial<Record<Script, RegExp>> = {
  arabic: /\p{scx=Arabic}/u,
  armenian: /\p{scx=Armenian}/u,
  bengali: /\p{scx=Bengali}/u,
  ethiopic: /\p{scx=Ethiopic}/u,
  georgian: /\p{scx=Georgian}/u,
  gujarati: /\p{scx=Gujarati}/u,
  gurmukhi: /\p{scx=Gurmukhi}/u,
  hebrew: /\p{scx=Hebrew}/u,
  kannada: /\p{scx=Kannada}/u,
  khmer: /\p{scx=Khmer}/u,
  lao: /\p{scx=Lao}/u,
  malayalam: /\p{scx=Malayalam}/u,
  oriya: /\p{scx=Oriya}/u,
  sinhala: /\p{scx=Sinhala}/u,
  tamil: /\p{scx=Tamil}/u,
  telugu: /\p{scx=Telugu}/u,
  thaana: /\p{scx=Thaana}/u,
  thai: /\p{scx=Thai}/u,
  tifinagh: /\p{scx=Tifinagh}/u,
};

/** Order in which fonts are searched for a character. Han characters differ by country, so Japan has its own order. */
const ORDER: readonly Script[] = ['latin', ...OWN_SCRIPTS, 'korean', 'chinese', 'japanese'];
const ORDER_JAPAN: readonly Script[] = ['latin', ...OWN_SCRIPTS, 'japanese', 'korean', 'chinese'];

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

const drawn = new Map<string, boolean>();

/**
 * Returns true when a font can draw a character. Nanum Gothic's character map names glyphs beyond the end of its glyph
 * table for space and grave accent, and fontkit throws for these.
 */
function draws(script: Script, character: string): boolean {
  const key = `${script}/${character}`;
  let does = drawn.get(key);
  if (does === undefined) {
    const parsed = opened(script, 'regular');
    const codePoint = character.codePointAt(0)!;
    try {
      does = parsed.hasGlyphForCodePoint(codePoint) && parsed.glyphForCodePoint(codePoint).advanceWidth >= 0;
    } catch {
      does = false;
    }
    if (drawn.size >= 10_000) drawn.clear();
    drawn.set(key, does);
  }
  return does;
}

/** Letters, digits and punctuation up to U+017F. Most texts need no other font to be opened than the Latin one. */
const LATIN = /^[\0-\u017f]$/;
/** Spaces, digits, punctuation, marks and joiners, which use the font of the preceding character. */
const COMMON = /^[\s\d\p{P}\p{S}\p{M}\u200c\u200d]$/u;

/**
 * Returns the script whose font draws a character. Common characters keep the preceding script when its font has them.
 * Fonts of one script are opened for its characters only.
 * @param country country of the reader
 * @returns undefined when no font has the character
 */
export function scriptFor(character: string, country: string, previous?: Script): Script | undefined {
  if ((previous === undefined || previous === 'latin') && LATIN.test(character)) return 'latin';
  if (previous !== undefined && COMMON.test(character) && draws(previous, character)) return previous;
  const order = country === 'JP' ? ORDER_JAPAN : ORDER;
  return order.find((script) => CHARACTERS[script]?.test(character) !== false && draws(script, character));
}

/** Texts whose every character the Latin font has, which need no further check. */
const PLAIN = /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u017f]*$/;
/** Characters without an image of their own: variation selectors and format characters. */
const UNSEEN = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|\p{Cf}/u;
/** The joiners, which choose the forms of letters: between Arabic ones, and after those of India and Sri Lanka. */
const JOINER = /[\u200c\u200d]/;
const isJoined = (before: string) => /[\p{L}\p{M}]/u.test(before) && !UNSEEN.test(before);

/**
 * Returns a text without the characters that no font can print, such as emoji. Control characters become spaces. When
 * characters are left out, spaces that are redundant without them are left out too.
 */
export function printableText(text: string): string {
  if (PLAIN.test(text)) return text;
  const normalized = text.normalize('NFC');
  let printed = '';
  let before = '';
  for (const character of normalized) {
    if (/\p{Cc}/u.test(character)) printed += ' ';
    else if (JOINER.test(character) ? isJoined(before) : !UNSEEN.test(character) && isPrintable(character)) {
      printed += character;
    }
    before = character;
  }
  return printed === normalized ? printed : printed.replace(/\s{2,}/g, ' ').trim();
}

const isPrintable = (character: string) => scriptFor(character, '') !== undefined;

/** Letters, marks and digits. Emoji consist of others, of variation selectors and of U+20E3. */
const LETTER = /(?![\u20e3\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}\p{N}]/u;

/** Returns the letters, marks and digits of a text that no font can print, each once. */
export function unprintableLetters(text: string): string[] {
  if (PLAIN.test(text)) return [];
  return [...new Set(text.normalize('NFC'))].filter((character) => LETTER.test(character) && !isPrintable(character));
}

/** Returns what is wrong with letters that no font can print. It names the first ten. */
export const noFontFor = (letters: readonly string[]) =>
  `No font has the letters ${letters.slice(0, 10).join(' ')}. Write them in another script, such as Latin.`;

/**
 * Text on labels and customs forms. Characters that no embedded font has, such as emoji, are stored and left out when the
 * text is printed. A text without a character that can be printed is refused, unless it has letters: these are findings of the
 * address (`src/orders/planning/address-checks.ts`).
 */
export const labelText = (text: z.ZodString) =>
  text.refine(
    (value) => value.trim() === '' || printableText(value) !== '' || unprintableLetters(value).length > 0,
    'Has no character that can be printed on labels.',
  );

/** The same, of what does not wait for a person: letters that no font has are refused. */
export const printedText = (text: z.ZodString) =>
  labelText(text).superRefine((value, context) => {
    const letters = unprintableLetters(value);
    if (letters.length > 0) context.addIssue({ code: 'custom', message: noFontFor(letters) });
  });
