import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ApiDeps } from '../../api/deps';
import { compose } from '../../cli/composition-root';
import type { OperatorRole, Role } from '../../src/accounts/account';
import { createAccount, issueKey } from '../../src/accounts/accounts-and-keys';
import { type Config, loadConfig } from '../../src/platform/config';
import { createSafeClient } from '../../src/platform/http/safe-client';
import { randomToken } from '../../src/platform/ids';
import { createMetrics } from '../../src/platform/metrics/metrics';
import { createFolderStore } from '../../src/platform/objects/folder-store';
import { createLinkSigner } from '../../src/platform/objects/signed-links';
import type { Sql } from '../../src/platform/postgres';
import { connectTemporal } from '../../src/platform/temporal/connection';
import { sharedInspector } from './runner/shared-inspector';
import { testSecretBox } from './secret-box';
import { testTemporalAddress } from './servers';
import { testLog } from './test-log';

const open: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of open.splice(0)) await close();
});

/**
 * What routes work with, on the test's own database: rate limit off, log of tests, objects in a temporary folder,
 * the test run's Temporal server. Closed after the file's last test.
 */
export async function testApiDeps(
  sql: Sql,
  options: {
    readonly config?: Partial<Config>;
    readonly log?: Logger;
    readonly temporalAddress?: string;
    readonly sandboxUrl?: string;
  } = {},
): Promise<ApiDeps> {
  const folder = await mkdtemp(join(tmpdir(), 'pressline-api-'));
  const publicUrl = 'https://pressline.test';
  const config: Config = {
    ...loadConfig({ RATE_LIMIT: '0', CONCURRENT_REQUESTS: '0', LOG_LEVEL: 'silent', DATA_DIR: folder }),
    TEMPORAL_ADDRESS: options.temporalAddress ?? testTemporalAddress(),
    ...options.config,
  };
  const temporal = connectTemporal(config);
  const client = createSafeClient({ allowPrivate: config.OUTBOUND_ALLOW_PRIVATE ?? true });
  open.push(async () => {
    await Promise.all([temporal.connection.close(), client.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  const connections = {
    config,
    log: options.log ?? testLog,
    metrics: createMetrics(),
    sql,
    objects: await createFolderStore(join(folder, 'objects')),
    links: createLinkSigner({ keys: [{ id: 'test', secret: randomToken(32) }], publicUrl }),
    secretBox: testSecretBox,
    publicUrl,
    sandboxUrl: options.sandboxUrl,
    temporal,
    client,
    inspector: sharedInspector,
    workFolder: folder,
  };
  return compose(connections);
}

export interface TestAccount {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The key alone, as an `X-API-KEY` header. */
  readonly key: { readonly 'X-API-KEY': string };
  /** Key and secret, as an `X-API-KEY` header. */
  readonly keyAndSecret: { readonly 'X-API-KEY': string };
}

/** An account with one key. Operators are admins unless `operatorRole` says otherwise. */
export async function testAccount(
  sql: Sql,
  role: Role,
  name: string = `${role}-${randomToken(6)}`,
  operatorRole: OperatorRole = 'admin',
): Promise<TestAccount> {
  const account = await createAccount(sql, role === 'operator' ? { role, name, operatorRole } : { role, name });
  if (account === undefined) throw new Error(`there is a ${role} ${name} already`);
  const { apiKey, apiSecret } = await issueKey(sql, account.id);
  return {
    id: account.id,
    name,
    apiKey,
    apiSecret,
    key: { 'X-API-KEY': apiKey },
    keyAndSecret: { 'X-API-KEY': `${apiKey}:${apiSecret}` },
  };
}
