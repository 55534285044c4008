/** A named AES-256-GCM key. What it encrypts carries the name. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** At least one key. The first one encrypts, all of them decrypt. */
export type KeyRing = readonly [NamedKey, ...NamedKey[]];

const KEY_BYTES = 32;

/**
 * Parses `id:base64key,id2:base64key2`. The first key encrypts, all keys decrypt.
 * @returns undefined for any other text. Ids must be unique, keys have 32 bytes
 */
export function parseNamedKeys(text: string): KeyRing | undefined {
  const keys: NamedKey[] = [];
  for (const entry of text.split(',')) {
    const [, id, encoded] = /^([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    if (id === undefined || encoded === undefined) return undefined;
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES || keys.some((other) => other.id === id)) return undefined;
    keys.push({ id, key });
  }
  const [first, ...others] = keys;
  return first && [first, ...others];
}
