import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { labelText, printedText, unprintableLetters } from '../../../src/documents/fonts';
import { projectRoot } from '../../../src/platform/project-root';

/** Scripts of Unicode in which addresses are written, or could be. */
const SCRIPTS = [
  ...['Arabic', 'Armenian', 'Bengali', 'Bopomofo', 'Canadian_Aboriginal', 'Cherokee', 'Cyrillic', 'Devanagari'],
  ...['Ethiopic', 'Georgian', 'Greek', 'Gujarati', 'Gurmukhi', 'Han', 'Hangul', 'Hebrew', 'Hiragana', 'Javanese'],
  ...['Kannada', 'Katakana', 'Khmer', 'Lao', 'Latin', 'Malayalam', 'Mongolian', 'Myanmar', 'Nko', 'Oriya', 'Sinhala'],
  ...['Syriac', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan', 'Tifinagh', 'Vai', 'Yi'],
];
/** The names that the documentation has for scripts, where they are others. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ Han: 'Chinese', Hangul: 'Korean', Hiragana: 'Japanese', Katakana: 'Japanese', Oriya: 'Odia' },
};

/** Returns the share of a script's letters and marks that fonts have. Extensions outside of the basic plane are rare. */
function covered(script: string): number {
  const isOne = new RegExp(`(?=[\\p{L}\\p{M}])\\p{Script=${script}}`, 'u');
  const letters = Array.from({ length: 0x10000 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(
    (character) => isOne.test(character) && character.normalize('NFC') === character,
  );
  return 1 - unprintableLetters(letters.join('')).length / letters.length;
}

test('the documentation lists the scripts that the fonts have, and no other', () => {
  const page = readFileSync(`${projectRoot()}/docs/shipping.md`, 'utf8');
  const [, list] = /The fonts have these scripts:\s+([^.]+)\./.exec(page)!;
  const found = SCRIPTS.filter((script) => covered(script) > 0.8).map((script) => NAMES[script] ?? script);
  expect(list!.split(/,\s+/)).toEqual([...new Set(found)].sort());
});

test.each([
  ['12 လမ်း', ['လ', 'မ', '်', 'း']],
  ['12 Main Street', []],
  ['12 რუსთაველის გამზირი', []],
  // The rakaransaya of Sri Lanka needs its joiner.
  ['ශ්‍රී ලංකා', []],
  // Emoji: a keycap, a family, a flag, a skin tone.
  ['1\ufe0f\u20e3 \u{1F469}\u{200D}\u{1F467} \u{1F1E9}\u{1F1EA} \u{1F44D}\u{1F3FD}', []],
  ['\u{1D4D0}nna', ['\u{1D4D0}']],
  ['༡༢', ['༡', '༢']],
])('the letters of %j that no font has are %j', (text, letters) => {
  expect(unprintableLetters(text)).toEqual(letters);
});

test('orders can have letters without a font, and other texts on labels not; emoji alone are no text of either', () => {
  const [ofOrders, ofOthers] = [labelText(z.string()), printedText(z.string())];
  const accepts = (text: string) => [ofOrders, ofOthers].map((schema) => schema.safeParse(text).success);
  expect(accepts('လမ်း')).toEqual([true, false]);
  expect(accepts('\u{1F389}')).toEqual([false, false]);
  expect(accepts('Anna \u{1F389}')).toEqual([true, true]);
});
