import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Parses `name:value,name2:value2`: the form of every variable with several keys, secrets or roles.
 * @param form matches an entry, with its name and its value as groups
 * @returns undefined when an entry has another form
 */
export function parseNamedList(text: string, form: RegExp): (readonly [name: string, value: string])[] | undefined {
  const entries = text.split(',').map((entry) => form.exec(entry.trim()));
  return entries.includes(null) ? undefined : entries.map((entry) => [entry![1]!, entry![2]!]);
}

/** Returns the entries when there is at least one, and each name is used once. */
export function uniquelyNamed<T extends { readonly id: string }>(
  entries: readonly T[] | undefined,
): readonly [T, ...T[]] | undefined {
  const [first, ...others] = entries ?? [];
  return first && new Set(entries!.map(({ id }) => id)).size === entries!.length ? [first, ...others] : undefined;
}

const CIPHER = 'aes-256-gcm';
/** Nonce of 96 bits, which GCM uses without hashing (NIST SP 800-38D, 5.2.1.1), and a tag of full length. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM and a fresh nonce.
 * @param context authenticated but not encrypted: decryption needs the same text
 * @returns `nonce | ciphertext | tag`
 */
export function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error when the bytes were altered, or encrypted with another key or context */
export function decrypt(key: Uint8Array, sealed: Buffer, context: string): Buffer {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** A named AES-256-GCM key. What it encrypts carries the name. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** At least one key. The first one encrypts, all of them decrypt. */
export type KeyRing = readonly [NamedKey, ...NamedKey[]];

/**
 * Parses `id:base64key,id2:base64key2`. The first key encrypts, all keys decrypt.
 * @returns undefined for any other text. Ids must be unique, keys have 32 bytes (43 digits of base64 and one `=`)
 */
export function parseNamedKeys(text: string): KeyRing | undefined {
  const entries = parseNamedList(text, /^([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)$/);
  return uniquelyNamed(entries?.map(([id, key]) => ({ id, key: Buffer.from(key, 'base64') })));
}
