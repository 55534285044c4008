import { z } from 'zod';
import type { ApiKeyEntry } from '../../src/accounts/accounts-and-keys';

const timestamp = z.iso.datetime();

/** A key in lists. */
export const accountKey = z
  .object({
    id: z.string(),
    name: z.string().nullable().describe('Where the key is used.'),
    hint: z.string().describe('First and last characters of the key.'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().describe('Precise to a minute. Null: the key was never used.'),
  })
  .meta({ id: 'AccountKey' });

export const keyName = z.string().trim().min(1).max(100);

/** Key and secret of a new key. */
export const credentialFields = {
  keyId: z.string(),
  apiKey: z.string().describe('Shown only in this response.'),
  apiSecret: z.string().describe('Shown only in this response.'),
};

export const rotatedKey = z
  .object({ ...credentialFields, createdAt: timestamp, previousKeysExpireAt: timestamp })
  .meta({ id: 'RotatedKey' });

export function keyView({ id, name, hint, ...times }: ApiKeyEntry): z.input<typeof accountKey> {
  return {
    id,
    name,
    hint,
    createdAt: times.createdAt.toISOString(),
    expiresAt: times.expiresAt?.toISOString() ?? null,
    revokedAt: times.revokedAt?.toISOString() ?? null,
    lastUsedAt: times.lastUsedAt?.toISOString() ?? null,
  };
}
