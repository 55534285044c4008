/**
 * Parses `name:value,name2:value2`: the form of every variable with several keys, secrets or roles.
 * @param form matches an entry, with its name and its value as groups
 * @returns undefined when an entry has another form
 */
export function parseNamedList(text: string, form: RegExp): (readonly [name: string, value: string])[] | undefined {
  const entries = text.split(',').map((entry) => form.exec(entry.trim()));
  return entries.includes(null) ? undefined : entries.map((entry) => [entry![1]!, entry![2]!]);
}

/**
 * Returns the entries when there is at least one and each name is used once. The first one signs or encrypts.
 * @returns undefined otherwise
 */
export function uniquelyNamed<T extends { readonly id: string }>(
  entries: readonly T[] | undefined,
): readonly [T, ...T[]] | undefined {
  const [first, ...others] = entries ?? [];
  return first && new Set(entries!.map(({ id }) => id)).size === entries!.length ? [first, ...others] : undefined;
}
