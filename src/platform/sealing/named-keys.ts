import { parseNamedList, uniquelyNamed } from '../configuration/named-list';

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
