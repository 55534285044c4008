import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { type Config, ConfigError } from '../src/platform/config';

import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';

/** Secrets that all processes of a deployment share. */
export interface Secrets {
  /** Signs document and file links. */
  readonly linkSecret: string;
  /** Carriers sign tracking events with it. */
  readonly carrierWebhookSecret: string;
}

const FILE_NAME = 'secrets.json';

/**
 * Returns the secrets of the configuration. With `embedded`, secrets that are not set are generated once and stored in
 * DATA_DIR.
 * @param embedded true when this process is the whole deployment, so that nothing else needs the generated secrets
 * @throws ConfigError that names the variable to set, when a secret is missing and `embedded` is false
 */
export async function loadSecrets(config: Config, embedded: boolean): Promise<Secrets> {
  const { LINK_SECRET: linkSecret, CARRIER_WEBHOOK_SECRET: carrierWebhookSecret } = config;
  if (linkSecret !== undefined && carrierWebhookSecret !== undefined)
    return { linkSecret, carrierWebhookSecret };
  if (!embedded) {
    const missing = linkSecret === undefined ? 'LINK_SECRET' : 'CARRIER_WEBHOOK_SECRET';
    throw new ConfigError(
      `Wrong configuration: ${missing}: must be set to the same value for every process of a deployment`,
    );
  }
  const path = join(config.DATA_DIR, FILE_NAME);
  const stored = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as Secrets,
    () => undefined,
  );
  const secrets = stored ?? { linkSecret: randomToken(32), carrierWebhookSecret: newSigningSecret() };
  if (stored === undefined) {
    await mkdir(config.DATA_DIR, { recursive: true });
    await writeFileAtomic(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  return {
    linkSecret: linkSecret ?? secrets.linkSecret,
    carrierWebhookSecret: carrierWebhookSecret ?? secrets.carrierWebhookSecret,
  };
}
