import { createHmac, timingSafeEqual } from 'node:crypto';

/** A request that is not a message of Pressline, or is too old. Respond to it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** The headers of a request: an object as Node's `request.headers`, or a `Headers` object. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

function headerOf(headers: WebhookHeaders, name: string): string {
  let value: unknown;
  if (typeof headers.get === 'function') value = (headers as { get(name: string): string | null }).get(name);
  else {
    const [found] = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
    value = found?.[1];
  }
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== 'string' || text === '') throw new WebhookVerificationError(`The header ${name} is missing.`);
  return text;
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length < 16) throw new TypeError('The secret is not a signing secret: expected whsec_ and base64.');
  return key;
}

/**
 * Verifies the signature of a message (Standard Webhooks 1.0) and returns its parsed body.
 * @param payload the body exactly as received: a string or bytes, not the parsed object
 * @param secret the signing secret of the endpoint or subscription, or several during a rotation
 * @param options toleranceSeconds is the greatest difference between the time of the attempt and this machine's clock, 300 by default
 * @throws WebhookVerificationError when a header is missing, the time is too far away, or no signature matches
 */
export function verifyMessage(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: { readonly toleranceSeconds?: number } = {},
): unknown {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('The header webhook-timestamp is not a time.');
  const age = Date.now() / 1_000 - Number(timestamp);
  if (Math.abs(age) > toleranceSeconds)
    throw new WebhookVerificationError(
      age > 0 ? 'The message is too old.' : 'The message is from the future: check the clock of this machine.',
    );
  const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString('utf8');
  const expected = [secret]
    .flat()
    .map((each) => createHmac('sha256', keyOf(each)).update(`${id}.${timestamp}.${text}`).digest());
  const isSigned = signatures.split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',', 2);
    const bytes = Buffer.from(signature, 'base64');
    return version === 'v1' && expected.some((each) => each.length === bytes.length && timingSafeEqual(each, bytes));
  });
  if (!isSigned) throw new WebhookVerificationError('No signature matches the secret.');
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookVerificationError('The signed body is not JSON.');
  }
}
