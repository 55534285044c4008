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
   * Decrypts a sealed secret.
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

export function createSecretBox(keys: KeyRing): SecretBox {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const currentPrefix = `sealed:${current.id}:`;
  return {
    currentPrefix,
    seal: (secret, owner) => currentPrefix + encrypt(current.key, Buffer.from(secret), owner).toString('base64'),
    open(stored, owner) {
      const [, id = '', bytes = ''] = /^sealed:([^:]*):(.*)$/s.exec(stored) ?? [];
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
