import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import writeFileAtomic from 'write-file-atomic';
import { RATE_CARDS } from '../src/carriers/domain/rate-cards';
import { type Config, ConfigError } from '../src/platform/config';
import { newSigningSecret, parseSecretsBySender, type SecretsBySender } from '../src/platform/http/webhook-signature';
import { randomToken } from '../src/platform/ids';
import { type LinkKeys, parseLinkKeys } from '../src/platform/objects/signed-links';
import { type KeyRing, parseNamedKeys } from '../src/platform/sealing/named-keys';

/** Secrets that all processes of a deployment share. */
export interface Secrets {
  readonly linkKeys: LinkKeys;
  /** Seals the signing secrets of partners and webhook endpoints in Postgres. */
  readonly secretKeys: KeyRing;
  /** Carriers sign tracking events with them. */
  readonly carrierWebhookSecrets: SecretsBySender;
}

/**
 * Returns a secret for each built-in carrier, as CARRIER_WEBHOOK_SECRETS has them.
 * @param before secrets that stay. Carriers without one, such as a carrier that was added since, get one
 */
export function generateCarrierSecrets(before = ''): string {
  const named = before.split(',').filter((entry) => entry !== '');
  const added = RATE_CARDS.filter(({ carrierUid }) => !named.some((entry) => entry.startsWith(`${carrierUid}:`)));
  return [...named, ...added.map(({ carrierUid }) => `${carrierUid}:${newSigningSecret()}`)].join();
}

/** Returns the secret that each carrier signs with: the first of its secrets. */
export function signingSecretsOf(secrets: SecretsBySender): Record<string, string> {
  return Object.fromEntries([...secrets].map(([carrierUid, [secret]]) => [carrierUid, secret!]));
}

/** The variable of each secret, and how `start` completes the stored text when the variable is not set. */
const GENERATED = {
  linkSecret: { variable: 'LINK_SECRET', complete: (before = `start:${randomToken(32)}`) => before },
  secretKeys: {
    variable: 'SECRET_KEYS',
    complete: (before = `start:${randomBytes(32).toString('base64')}`) => before,
  },
  carrierWebhookSecrets: { variable: 'CARRIER_WEBHOOK_SECRETS', complete: generateCarrierSecrets },
} as const satisfies Record<string, { variable: keyof Config; complete: (before?: string) => string }>;

type StoredSecrets = Readonly<Record<keyof typeof GENERATED, string>>;

const FILE_NAME = 'secrets.json';

/**
 * Returns the secrets of the configuration. With `embedded`, secrets that are not set are generated once and stored in
 * DATA_DIR.
 * @param embedded true when this process is the whole deployment, so that nothing else needs the generated secrets
 * @throws ConfigError that names the variable to set, when a secret is missing and `embedded` is false
 */
export async function loadSecrets(config: Config, embedded: boolean): Promise<Secrets> {
  const unset = Object.values(GENERATED).find(({ variable }) => config[variable] === undefined);
  if (!embedded && unset !== undefined) {
    throw new ConfigError(
      `Wrong configuration: ${unset.variable}: must be set to the same value for every process of a deployment`,
    );
  }
  const stored = unset === undefined ? undefined : await storedSecrets(config.DATA_DIR);
  return {
    linkKeys: config.LINK_SECRET ?? parseLinkKeys(stored!.linkSecret)!,
    secretKeys: config.SECRET_KEYS ?? parseNamedKeys(stored!.secretKeys)!,
    carrierWebhookSecrets: config.CARRIER_WEBHOOK_SECRETS ?? parseSecretsBySender(stored!.carrierWebhookSecrets)!,
  };
}

/** Returns every secret of the file in DATA_DIR, after it has been completed. */
async function storedSecrets(folder: string): Promise<StoredSecrets> {
  const path = join(folder, FILE_NAME);
  const before = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as Partial<StoredSecrets>,
    (error: NodeJS.ErrnoException) => {
      // Any other error must not replace the keys that stored secrets are sealed with.
      if (error.code === 'ENOENT') return {} as Partial<StoredSecrets>;
      throw error;
    },
  );
  const secrets: StoredSecrets = {
    ...before,
    linkSecret: GENERATED.linkSecret.complete(before.linkSecret),
    secretKeys: GENERATED.secretKeys.complete(before.secretKeys),
    carrierWebhookSecrets: GENERATED.carrierWebhookSecrets.complete(before.carrierWebhookSecrets),
  };
  if (!isDeepStrictEqual(secrets, before)) {
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  }
  return secrets;
}
