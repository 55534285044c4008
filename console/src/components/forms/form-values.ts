/** Returns the trimmed text of a field. Empty: null. */
export function textOf(form: FormData, name: string): string | null {
  const text = String(form.get(name) ?? '').trim();
  return text === '' ? null : text;
}

/** Returns the words of a text, which spaces, commas or lines separate. */
export const wordsOf = (text: string | null): string[] => (text ?? '').split(/[\s,]+/).filter(Boolean);
