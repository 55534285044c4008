import { decrypt, encrypt } from './aes-gcm';
import type { KeyRing } from './named-keys';

/**
 * Seals secrets that Postgres stores and that Pressline needs in readable form, because it signs with them. A secret that
 * is only compared is stored as a hash instead.
 */
export interface SecretBox {
  /**
   * Encrypts a secret with the first key.
   * @param owner the row that holds the secret. It is authenticated: a sealed secret copied to another row does not open
   * @returns `sealed:<key id>:<base64>`
   */
  seal(secret: string, owner: string): string;
  /**
   * Decrypts a sealed secret. Returns other text unchanged: a secret that was stored before secrets were sealed.
   * @throws SecretNotOpened when its key is not configured, or the text or its owner was altered
   */
  open(stored: string, owner: string): string;
  /** The beginning of every text that the first key has sealed. */
  readonly currentPrefix: string;
}

/** A stored secret that cannot be decrypted with the configured keys. */
export class SecretNotOpened extends Error {
  override readonly name = 'SecretNotOpened';
}

/** No signing secret starts with it, and it is not base64: a release that does not seal cannot sign with sealed text. */
const SEALED = 'sealed:';

/** Returns true for a text that a secret box has sealed, or that looks so. */
export function isSealed(text: string): boolean {
  return text.startsWith(SEALED);
}

export function createSecretBox(keys: KeyRing): SecretBox {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const currentPrefix = `${SEALED}${current.id}:`;
  return {
    currentPrefix,
    seal: (secret, owner) => currentPrefix + encrypt(current.key, Buffer.from(secret), owner).toString('base64'),
    open(stored, owner) {
      if (!isSealed(stored)) return stored;
      const [id = '', bytes = ''] = stored.slice(SEALED.length).split(':');
      const key = byId.get(id);
      if (key === undefined) {
        throw new SecretNotOpened(`the secret of ${owner} is sealed with key ${id}, which is not in SECRET_KEYS`);
      }
      try {
        return decrypt(key, Buffer.from(bytes, 'base64'), owner).toString('utf8');
      } catch {
        throw new SecretNotOpened(
          `the secret of ${owner} is damaged, or key ${id} of SECRET_KEYS is another one of that name`,
        );
      }
    },
  };
}
