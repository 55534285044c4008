/** Returns the trimmed text of a field. Empty: null. */
export function textOf(form: FormData, name: string): string | null {
  const text = String(form.get(name) ?? '').trim();
  return text === '' ? null : text;
}

/** Returns the value of a field that holds JSON. Empty: null. @throws Error with the name of the field */
export function jsonOf(form: FormData, name: string, label: string): unknown {
  const text = textOf(form, name);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${label}: ${(error as Error).message}`);
  }
}
