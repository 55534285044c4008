/** A body is shorter than this, in bytes. Receivers such as API gateways and queues refuse long requests. */
const MAX_BYTES = 20_000;

/** Share of a list that the lists of one of its entries may take, so that several entries fit. */
const NESTED_SHARE = 1 / 8;

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * Returns a message as JSON of less than 20 kB. When it would be longer, its lists keep their first entries, and
 * `leftOut` beside them counts the rest.
 */
export function messageBody(message: object): string {
  let body = JSON.stringify(message);
  for (let bytes = MAX_BYTES; bytes > 1 && Buffer.byteLength(body) >= MAX_BYTES; bytes *= 0.8)
    body = JSON.stringify(shortened(message, bytes));
  return body;
}

/** Returns a value with lists of at most a number of bytes each. */
function shortened(value: unknown, bytes: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept: unknown[] = [];
    let left = bytes;
    for (const entry of value) {
      const short = shortened(entry, bytes * NESTED_SHARE);
      left -= sizeOf(short) + 1;
      if (left < 0) break;
      kept.push(short);
    }
    return kept;
  }
  const members = Object.entries(value).map(([name, whole]) => ({ name, whole, short: shortened(whole, bytes) }));
  const counts = members.flatMap(({ name, whole, short }): [string, number][] =>
    Array.isArray(whole) && Array.isArray(short) && short.length < whole.length
      ? [[name, whole.length - short.length]]
      : [],
  );
  const short = Object.fromEntries(members.map(({ name, short }) => [name, short]));
  return counts.length === 0 ? short : { ...short, leftOut: Object.fromEntries(counts) };
}
