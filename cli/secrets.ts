import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '../src/platform/config';
import { writeFileAtomically } from '../src/platform/embedded/files';
import { newSigningSecret } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';

/** Secrets of a deployment that every process of it shares. */
export interface Secrets {
  /** Signs document and file links. */
  readonly linkSecret: string;
  /** Carriers sign their tracking events with it. */
  readonly carrierWebhookSecret: string;
}

const KEPT_IN = 'secrets.json';

/**
 * The secrets of the configuration; those it leaves out are made once and kept in DATA_DIR.
 * @param embedded whether DATA_DIR belongs to this deployment alone; elsewhere nothing is invented
 * @throws ConfigError naming the variable that has to be set
 */
export async function loadSecrets(config: Config, embedded: boolean): Promise<Secrets> {
  const { LINK_SECRET: linkSecret, CARRIER_WEBHOOK_SECRET: carrierWebhookSecret } = config;
  if (linkSecret !== undefined && carrierWebhookSecret !== undefined)
    return { linkSecret, carrierWebhookSecret };
  if (!embedded) {
    const missing = linkSecret === undefined ? 'LINK_SECRET' : 'CARRIER_WEBHOOK_SECRET';
    throw new ConfigError(
      `Wrong configuration: ${missing}: must be set, the same for every process of a deployment`,
    );
  }
  const path = join(config.DATA_DIR, KEPT_IN);
  const kept = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as Secrets,
    () => undefined,
  );
  const secrets = kept ?? { linkSecret: randomToken(32), carrierWebhookSecret: newSigningSecret() };
  if (kept === undefined) {
    await mkdir(config.DATA_DIR, { recursive: true });
    await writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
  }
  return {
    linkSecret: linkSecret ?? secrets.linkSecret,
    carrierWebhookSecret: carrierWebhookSecret ?? secrets.carrierWebhookSecret,
  };
}
