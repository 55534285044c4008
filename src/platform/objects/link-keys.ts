/** A secret that signs document and file links. */
export interface LinkKey {
  /** In the token of the link. Null for a secret without an id, whose tokens have none. */
  readonly id: string | null;
  /** At least 32 characters. */
  readonly secret: string;
}

/** At least one key. The first one signs, all of them verify. */
export type LinkKeys = readonly [LinkKey, ...LinkKey[]];

const SECRET_LENGTH = 32;
const KEY = /^([A-Za-z0-9_-]{1,64}):([^,:]+)$/;

/**
 * Parses `id:secret,id2:secret2`, or one secret without an id.
 * @returns undefined for any other text. Ids must be unique, secrets have at least 32 characters
 */
export function parseLinkKeys(text: string): LinkKeys | undefined {
  const entries = text.split(',').map((entry) => KEY.exec(entry.trim()));
  if (entries.length === 1 && entries[0] === null) {
    return text.length < SECRET_LENGTH ? undefined : [{ id: null, secret: text }];
  }
  const keys: LinkKey[] = [];
  for (const entry of entries) {
    const [, id, secret] = entry ?? [];
    if (id === undefined || secret === undefined || secret.length < SECRET_LENGTH) return undefined;
    if (keys.some((other) => other.id === id)) return undefined;
    keys.push({ id, secret });
  }
  const [first, ...others] = keys;
  return first && [first, ...others];
}
