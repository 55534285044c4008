/** Emoji with their modifiers and joiners, private-use characters and control characters. */
const UNPRINTABLE =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\p{Co}\p{Cc}]|\u200d|\u20e3|[\ufe0e\ufe0f]|[\u{e0020}-\u{e007f}]/gu;
/** Pictographs that are ordinary typography and belong to Latin fonts. */
const TYPOGRAPHY = new Set(['©', '®', '™', '‼', '⁉', '↔']);

/** Returns a text without emoji, for carriers that print it with their own fonts. */
export function withoutEmoji(text: string): string {
  const kept = text.replace(UNPRINTABLE, (character) => (TYPOGRAPHY.has(character) ? character : ''));
  return kept === text ? text : kept.replace(/\s{2,}/g, ' ').trim();
}
