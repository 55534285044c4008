import { randomBytes } from 'node:crypto';

/** Returns new values of the secrets that docker-compose.yml takes from its .env file. */
export function newSecrets(): Record<string, string> {
  const hex = () => randomBytes(32).toString('hex');
  const key = () => `first:${randomBytes(32).toString('base64')}`;
  return {
    POSTGRES_OWNER_PASSWORD: hex(),
    POSTGRES_PASSWORD: hex(),
    TEMPORAL_POSTGRES_PASSWORD: hex(),
    S3_ROOT_SECRET_KEY: hex(),
    S3_SECRET_KEY: hex(),
    GRAFANA_ADMIN_PASSWORD: hex(),
    LINK_SECRET: `first:${hex()}`,
    SECRET_KEYS: key(),
    PAYLOAD_KEYS: key(),
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:whsec_${randomBytes(32).toString('base64')}`,
  };
}
