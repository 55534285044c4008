import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from './errors';

/** Returns a version 7 UUID (RFC 9562). Ids are ordered by time, so index pages fill in order. */
export function uuidv7(now = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns true when the text is a UUID and can be compared with a uuid column. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/**
 * Returns the object with an id.
 * @throws Refusal `NOT_FOUND` when the id is no UUID, or `read` finds nothing
 */
export async function foundById<T>(
  id: string,
  read: () => Promise<T | null | undefined>,
  message?: string,
): Promise<T> {
  const found = isUuid(id) ? await read() : null;
  if (found == null) throw new Refusal('NOT_FOUND', message === undefined ? {} : { message });
  return found;
}

export function randomToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}

export function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}

/** Compares in constant time. Returns false when the lengths differ. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
