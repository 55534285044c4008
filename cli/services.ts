import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { type Carriers, createCarriers } from '../src/carriers/carriers';
import { carrierGateways } from '../src/carriers/gateways';
import { openWorkFolder } from '../src/files/ingest-file';
import { createFileInspector, type FileInspector } from '../src/files/inspector';
import { createCandidateReader } from '../src/partners/candidates';
import { allowsPrivateAddresses, type Config } from '../src/platform/config';
import { createSafeClient, type SafeClient } from '../src/platform/http/safe-client';
import type { Logger } from '../src/platform/logging';
import { createObjectStore } from '../src/platform/objects/create-object-store';
import type { ObjectStore } from '../src/platform/objects/object-store';
import { createLinkSigner, type LinkSigner } from '../src/platform/objects/signed-links';
import { connectPostgres, type Sql } from '../src/platform/postgres';
import { connectTemporal } from '../src/platform/temporal/connection';
import type { Secrets } from './secrets';

/** What API and worker work with, one set a process. */
export interface Services {
  /** With DATABASE_URL and TEMPORAL_ADDRESS filled in. */
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly publicUrl: string;
  readonly sql: Sql;
  readonly temporal: Client;
  readonly objects: ObjectStore;
  readonly links: LinkSigner;
  readonly client: SafeClient;
  readonly carriers: Carriers;
  readonly inspector: FileInspector;
  /** Where print files lie while they are looked into. */
  readonly workFolder: string;
  readonly candidates: ReturnType<typeof createCandidateReader>;
  /** Closes what is open; whoever used it has stopped. */
  close(): Promise<void>;
}

/**
 * @param config whose DATABASE_URL and TEMPORAL_ADDRESS are set
 * @param publicUrl address of the API, without a slash at the end
 */
export async function createServices(
  config: Config,
  secrets: Secrets,
  publicUrl: string,
  log: Logger,
): Promise<Services> {
  const sql = connectPostgres(config.DATABASE_URL!, { max: config.DATABASE_POOL_SIZE });
  const temporal = connectTemporal(config);
  const client = createSafeClient({ allowPrivate: allowsPrivateAddresses(config) });
  const inspector = createFileInspector();
  return {
    // The carrier webhook reads its secret here, whether it was given or made on the first start.
    config: { ...config, CARRIER_WEBHOOK_SECRET: secrets.carrierWebhookSecret },
    secrets,
    log,
    publicUrl,
    sql,
    temporal,
    objects: await createObjectStore(config),
    links: createLinkSigner({ secret: secrets.linkSecret, publicUrl }),
    client,
    carriers: createCarriers(sql, carrierGateways(config, client)),
    inspector,
    workFolder: await openWorkFolder(join(tmpdir(), 'pressline-files')),
    candidates: createCandidateReader(sql),
    async close() {
      await Promise.all([inspector.close(), client.close(), temporal.connection.close()]);
      await sql.end({ timeout: 5 });
    },
  };
}
