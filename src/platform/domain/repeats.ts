/** Returns the indexes of the values that occur earlier in the list too. */
export function repeatsOf(values: readonly string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => (seen.size === seen.add(value).size ? [index] : []));
}
