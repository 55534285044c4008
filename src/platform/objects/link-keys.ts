import { parseNamedList, uniquelyNamed } from '../configuration/named-list';

/** A secret that signs document and file links. */
export interface LinkKey {
  /** In the token of the link. Null for a secret without an id, whose tokens have none. */
  readonly id: string | null;
  /** At least 32 characters. */
  readonly secret: string;
}

/** At least one key. The first one signs, all of them verify. */
export type LinkKeys = readonly [LinkKey, ...LinkKey[]];

/** A secret without an id. */
const SECRET = /^(?![A-Za-z0-9_-]{1,64}:[^,:]+$)[^,]{32,}$/;

/**
 * Parses `id:secret,id2:secret2`, or one secret without an id.
 * @returns undefined for any other text. Ids must be unique, secrets have at least 32 characters
 */
export function parseLinkKeys(text: string): LinkKeys | undefined {
  if (SECRET.test(text)) return [{ id: null, secret: text }];
  const entries = parseNamedList(text, /^([A-Za-z0-9_-]{1,64}):([^,:]{32,})$/);
  return uniquelyNamed(entries?.map(([id, secret]) => ({ id, secret })));
}
