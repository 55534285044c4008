import { connectPostgres } from '../../src/platform/postgres';
import { createSecretBox } from '../../src/platform/sealing/secret-box';
import { assertSet, type Command } from '../command';
import { say } from '../say';
import { resealStoredSecrets } from '../sealed-secrets';

/**
 * Seals every stored secret with the first key of SECRET_KEYS. After it, the other keys can be removed. Workers do the same
 * when they start. Exits with 1 when a secret is sealed with a key that is not configured.
 */
export const resealSecrets: Command = async ({ config }) => {
  assertSet(config, 'DATABASE_URL');
  assertSet(config, 'SECRET_KEYS');
  const sql = connectPostgres(config.DATABASE_URL!, { max: 1, applicationName: 'pressline-reseal' });
  try {
    const { sealed, failed } = await resealStoredSecrets(sql, createSecretBox(config.SECRET_KEYS!));
    say(`Sealed: ${sealed}.`);
    for (const owner of failed) say(`Not opened by any key of SECRET_KEYS: ${owner}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    await sql.end({ timeout: 5 });
  }
};
