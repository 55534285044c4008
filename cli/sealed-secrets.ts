import { ENDPOINT_SECRETS } from '../src/notifications/endpoints';
import { PARTNER_SECRETS } from '../src/partners/partner-rows';
import type { Sql } from '../src/platform/postgres';
import { type Resealed, resealSecrets } from '../src/platform/sealing/reseal';
import type { SecretBox } from '../src/platform/sealing/secret-box';

/** Every table with sealed secrets. */
export const SEALED_TABLES = [PARTNER_SECRETS, ENDPOINT_SECRETS];

/** Seals every stored secret with the first key of SECRET_KEYS. */
export async function resealStoredSecrets(sql: Sql, secretBox: SecretBox): Promise<Resealed> {
  return await resealSecrets(sql, secretBox, SEALED_TABLES);
}
