import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { CommandContext } from '../../cli/command';
import { importCatalogFile } from '../../cli/commands/data';
import { migrateDatabase } from '../../cli/commands/database';
import { api } from '../../cli/run-api';
import { worker } from '../../cli/run-worker';
import { startStack } from '../../cli/start-stack';
import { loadConfig } from '../../src/platform/config';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { connectPostgres, type Sql } from '../../src/platform/postgres';
import { DatabaseNotMigrated } from '../../src/platform/schema/schema-version';
import { testApplicationUrl, testPostgresUrl, testTemporalAddress } from '../support/servers';

const admin = connectPostgres(testPostgresUrl(), { max: 1 });
const name = `test_${randomBytes(8).toString('hex')}`;
const inDatabase = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
let owner: Sql;
let context: CommandContext;
let printed: string[];
const folder = mkdtempSync(join(tmpdir(), 'pressline-cli-'));

beforeAll(async () => {
  await admin.unsafe(`CREATE DATABASE ${name}`);
  owner = connectPostgres(inDatabase(testPostgresUrl()), { max: 1 });
  const config = loadConfig({
    DATABASE_URL: inDatabase(testApplicationUrl()),
    MIGRATION_DATABASE_URL: inDatabase(testPostgresUrl()),
    MIGRATION_WAIT: '0s',
    DATA_DIR: folder,
    PORT: '0',
    TEMPORAL_ADDRESS: testTemporalAddress(),
    PUBLIC_URL: 'https://pressline.test',
    LINK_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
  });
  context = { config, log: pino({ level: 'silent' }), signals: undefined as never };
});

beforeEach(() => {
  printed = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(async () => {
  await owner.end();
  rmSync(folder, { recursive: true });
  await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
});

const tables = () => owner`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;

const quiet = { workflowBundle: { codePath: '' }, report: () => undefined };

test.each<[name: string, command: (given: CommandContext) => Promise<unknown>]>([
  ['api', api],
  ['worker', worker],
  ['start with DATABASE_URL', ({ config, log }) => startStack(config, log, quiet)],
  [
    'import-catalog with DATABASE_URL',
    ({ config, log }) => importCatalogFile(config, log, 'none.csv', { dryRun: false, say: () => undefined }),
  ],
])('%s does not migrate: it refuses a database without tables', async (_, command) => {
  await expect(command(context)).rejects.toThrow(DatabaseNotMigrated);
  expect(await tables()).toHaveLength(0);
});

test('migrate --status and --dry-run name what is pending and change nothing', async () => {
  expect(await migrateDatabase(context, { status: true })).toBe(1);
  expect(await migrateDatabase(context, { dryRun: true })).toBe(0);
  expect(printed).toEqual([
    expect.stringMatching(/^Version 0 of \d+\. Pending: accounts, outbox, catalog, /),
    expect.stringMatching(/^Dry run, nothing was changed\. Pending: accounts, outbox, catalog, /),
  ]);
  expect(await tables()).toHaveLength(0);
});

test('migrate migrates as MIGRATION_DATABASE_URL, and the role of DATABASE_URL can use the tables', async () => {
  expect(await migrateDatabase(context, {})).toBe(0);
  expect(await migrateDatabase(context, {})).toBe(0);
  expect(await migrateDatabase(context, { status: true })).toBe(0);
  expect(printed).toEqual([
    expect.stringMatching(/^Applied: accounts, outbox, catalog, /),
    'The database is up to date.\n',
    expect.stringMatching(/^Version (\d+) of \1\. No migration is pending\.\n$/),
  ]);
  const app = connectPostgres(context.config.DATABASE_URL!, { max: 1 });
  expect(await app`SELECT id FROM orders`).toHaveLength(0);
  await expect(app`DROP TABLE orders`).rejects.toMatchObject({ code: '42501' });
  await app.end();
});
