/** Most choices that a message lists. */
const MOST_LISTED = 20;

/** Returns choices as the end of a message: `: a3, a4`, at most 20 of them; empty when there are none. */
export function choicesText(choices: readonly string[]): string {
  if (choices.length === 0) return '';
  return `: ${choices.slice(0, MOST_LISTED).join(', ')}${choices.length > MOST_LISTED ? ', …' : ''}`;
}
