import bidiFactory from 'bidi-js';
import { printableText, runWidth, type Script, scriptFor, type Weight } from './fonts';

const bidi = bidiFactory();
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** A part of a line in one font. Runs of a line are in drawing order, left to right. */
export interface FontRun {
  readonly script: Script;
  readonly text: string;
}

function splitByFont(text: string, country: string): FontRun[] {
  const runs: { script: Script; text: string }[] = [];
  for (const character of text) {
    const last = runs.at(-1);
    const script = scriptFor(character, country, last?.script) ?? 'latin';
    if (last?.script === script) last.text += character;
    else runs.push({ script, text: character });
  }
  return runs;
}

const mirrored = (text: string) => [...text].map((char) => bidi.getMirroredCharacter(char) ?? char).join('');
const reversed = (text: string) => [...text].reverse().join('');

/**
 * Returns one line of text as runs in visual order (Unicode Bidirectional Algorithm, UAX 9). Right-to-left runs keep their
 * logical order: the font's layout reverses them after it has joined their letters.
 * @param country country of the reader, which decides between Japanese and Chinese forms of Han characters
 */
export function visualRuns(line: string, country: string): FontRun[] {
  const text = printableText(line);
  if (!RIGHT_TO_LEFT.test(text)) return splitByFont(text, country);
  const { levels } = bidi.getEmbeddingLevels(text);
  const pieces: { level: number; runs: FontRun[] }[] = [];
  let start = 0;
  for (let index = 1; index <= text.length; index++) {
    if (index < text.length && levels[index] === levels[start]) continue;
    const level = levels[start]!;
    const piece = text.slice(start, index);
    const runs = splitByFont(level % 2 === 1 ? mirrored(piece) : piece, country);
    pieces.push({ level, runs: level % 2 === 1 ? reversedRuns(runs) : runs });
    start = index;
  }
  // Rule L2: from the highest level down to the lowest odd one, reverse every sequence at or above that level.
  const highest = Math.max(...pieces.map(({ level }) => level));
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < pieces.length; from++) {
      if (pieces[from]!.level < level) continue;
      let to = from;
      while (to + 1 < pieces.length && pieces[to + 1]!.level >= level) to++;
      pieces.splice(from, to - from + 1, ...pieces.slice(from, to + 1).reverse());
      from = to;
    }
  }
  return pieces.flatMap(({ runs }) => runs);
}

/** Returns the runs of a right-to-left sequence in visual order. Runs without right-to-left letters are reversed here. */
function reversedRuns(runs: readonly FontRun[]): FontRun[] {
  return runs.map(({ script, text }) => ({ script, text: RIGHT_TO_LEFT.test(text) ? text : reversed(text) })).reverse();
}

/** Returns true when a line starts at the right edge. */
export function isRightToLeft(line: string): boolean {
  if (!RIGHT_TO_LEFT.test(line)) return false;
  return bidi.getEmbeddingLevels(line).paragraphs[0]?.level === 1;
}

/** Returns the width of a line at a font size of 1 pt. */
export function lineWidth(line: string, country: string, weight: Weight): number {
  return visualRuns(line, country).reduce((sum, { script, text }) => sum + runWidth(text, script, weight), 0);
}

/** Parts between which a line may break: words with their spaces, and single characters of scripts without spaces. */
const BREAKS =
  /[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]+\s*|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]\s*|\s+/gu;

/** Breaks text into lines of at most `width` points at `size`. A word longer than a line is split. */
export function wrap(
  text: string,
  { width, size, country, weight = 'regular' }: { width: number; size: number; country: string; weight?: Weight },
): string[] {
  const measure = (line: string) => lineWidth(line, country, weight) * size;
  if (measure(text) <= width) return [printableText(text).trimEnd()];
  const lines: string[] = [];
  let line = '';
  for (const word of printableText(text).match(BREAKS) ?? []) {
    if (measure((line + word).trimEnd()) <= width) {
      line += word;
      continue;
    }
    if (line.trimEnd() !== '') lines.push(line.trimEnd());
    line = '';
    for (const character of word) {
      if (line !== '' && measure(line + character) > width && character !== ' ') {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  if (line.trimEnd() !== '' || lines.length === 0) lines.push(line.trimEnd());
  return lines;
}

/** Distance between baselines, relative to the font size. */
export const LEADING = 1.22;

/** Breaks lines to the width of a box, at the largest size from `size` down to `minSize` at which all of them fit. */
export function fitLines(
  lines: readonly string[],
  box: { readonly width: number; readonly height: number },
  style: {
    readonly size: number;
    readonly minSize: number;
    readonly country: string;
    readonly weight?: Weight;
  },
): { readonly size: number; readonly lines: readonly string[] } {
  const brokenAt = (size: number) => {
    const broken = lines.flatMap((line) => wrap(line, { ...style, size, width: box.width }));
    return { size, lines: broken, fits: broken.length * size * LEADING <= box.height };
  };
  let best = brokenAt(style.size);
  if (best.fits) return best;
  // Half points, by bisection: to break long lines takes milliseconds.
  let [low, high] = [0, (style.size - style.minSize) * 2];
  best = brokenAt(style.minSize);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const tried = brokenAt(style.size - middle / 2);
    if (tried.fits) [best, high] = [tried, middle];
    else low = middle;
  }
  return best;
}
