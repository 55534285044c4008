import { hash, randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto';

/** Random bytes for 256 ids. One system call per id took 2 % of the time of a submission. */
const pool = Buffer.alloc(256 * 16);
let unused = 0;

function sixteenRandomBytes(): Buffer {
  if (unused === 0) unused = randomFillSync(pool).length;
  unused -= 16;
  return Buffer.from(pool.subarray(unused, unused + 16));
}

/** Returns a version 7 UUID (RFC 9562). Ids are ordered by time, so index pages fill in order. */
export function uuidv7(now = Date.now()): string {
  const bytes = sixteenRandomBytes();
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

/** Returns `bytes` random bytes as base64url. The default of 24 bytes is 192 bits. */
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
