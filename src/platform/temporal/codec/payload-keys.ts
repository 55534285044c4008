/** A named AES-256-GCM key. Payloads carry the name. */
export interface PayloadKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const KEY_BYTES = 32;

/**
 * Parses `id:base64key,id2:base64key2`. The first key encrypts, all keys decrypt.
 * @returns undefined for any other text. Ids must be unique, keys have 32 bytes
 */
export function parsePayloadKeys(text: string): PayloadKey[] | undefined {
  const keys: PayloadKey[] = [];
  for (const entry of text.split(',')) {
    const [, id, encoded] = /^([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(entry.trim()) ?? [];
    if (id === undefined || encoded === undefined) return undefined;
    const key = Buffer.from(encoded, 'base64');
    if (key.length !== KEY_BYTES || keys.some((other) => other.id === id)) return undefined;
    keys.push({ id, key });
  }
  return keys;
}
