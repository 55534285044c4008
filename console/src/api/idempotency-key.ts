/** Returns a new Idempotency-Key. `crypto.randomUUID` is there on HTTPS and localhost only, and a console may be served over HTTP. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
