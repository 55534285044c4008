/**
 * Returns a function that reads a value at most once in a time. Concurrent calls share one reading, so that the cost does not
 * grow with the number of callers. A failed reading is not kept.
 * @param ms time that a value is kept
 */
export function sharedReading<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly until: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && kept.until > performance.now()) return kept.value;
    const value = read();
    const reading = { until: performance.now() + ms, value };
    kept = reading;
    value.catch(() => {
      if (kept === reading) kept = undefined;
    });
    return value;
  };
}
