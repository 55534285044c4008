import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { resealSecrets } from '../../cli/commands/database';
import { loadSecrets } from '../../cli/secrets';
import { StopSignals } from '../../cli/terminal';
import { PARTNER_SECRETS } from '../../src/partners/partner-rows';
import { ConfigError, loadConfig } from '../../src/platform/config';
import { newSigningSecret } from '../../src/platform/http/webhook-signature';
import { createSecretBox, secretOwner } from '../../src/platform/sealing/secret-box';
import { testStack } from '../support/stack';

const LINK_SECRET = 'x'.repeat(43);

describe('the secrets of a deployment', () => {
  let folder: string;
  const file = () => join(folder, 'secrets.json');
  const load = async (env: Record<string, string> = {}) =>
    await loadSecrets(loadConfig({ DATA_DIR: folder, ...env }), true);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pressline-secrets-'));
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  test('start generates them once and stores them for its owner alone', async () => {
    const first = await load();
    expect(first.secretKeys).toEqual([{ id: 'start', key: expect.any(Buffer) }]);
    expect(await load()).toEqual(first);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  test('start adds a secret that the file does not have, and keeps the others', async () => {
    await writeFile(file(), JSON.stringify({ linkSecret: LINK_SECRET }));
    const secrets = await load();
    expect(secrets.linkKeys).toEqual([{ id: null, secret: LINK_SECRET }]);
    expect(await load()).toEqual(secrets);
  });

  test('start adds the secret of a carrier that was added since, and keeps those of the others', async () => {
    const { carrierWebhookSecrets: first } = await load();
    const [added, ...others] = [...first.keys()];
    const { carrierWebhookSecrets: text, ...rest } = JSON.parse(await readFile(file(), 'utf8'));
    const known = text.split(',').filter((entry: string) => !entry.startsWith(`${added}:`));
    await writeFile(file(), JSON.stringify({ ...rest, carrierWebhookSecrets: known.join() }));
    const { carrierWebhookSecrets: second } = await load();
    expect(second.get(added!)).toEqual([expect.stringMatching(/^whsec_/)]);
    for (const other of others) expect(second.get(other)).toEqual(first.get(other));
    expect((await load()).carrierWebhookSecrets).toEqual(second);
  });

  test('a damaged file ends the start and is not replaced', async () => {
    await writeFile(file(), '{"linkSecret": ');
    await expect(load()).rejects.toThrow(SyntaxError);
    expect(await readFile(file(), 'utf8')).toBe('{"linkSecret": ');
  });

  test('a configured secret replaces the stored one', async () => {
    const secrets = await load({ SECRET_KEYS: `mine:${randomBytes(32).toString('base64')}` });
    expect(secrets.secretKeys[0].id).toBe('mine');
  });

  test('a process that is not the whole deployment needs them in its environment', async () => {
    const config = loadConfig({
      DATA_DIR: folder,
      LINK_SECRET: 'x'.repeat(32),
      CARRIER_WEBHOOK_SECRETS: `tern_parcel:${newSigningSecret()}`,
    });
    const loading = loadSecrets(config, false);
    await expect(loading).rejects.toThrow(ConfigError);
    await expect(loading).rejects.toThrow('SECRET_KEYS: must be set to the same value for every process');
  });
});

describe('secrets in Postgres', () => {
  test('a worker seals them with a new first key when it starts, and so does the command', async () => {
    const { services, startWorker, stopWorker } = await testStack({ mode: 'off' });
    const { sql, config, secrets, secretBox } = services;
    const [partner] = await sql<{ id: string }[]>`SELECT account_id AS id FROM partners ORDER BY uid LIMIT 1`;
    const sealed = secretBox.seal(newSigningSecret(), secretOwner(PARTNER_SECRETS, partner!.id));
    await sql`UPDATE partners SET signing_secret = ${sealed} WHERE account_id = ${partner!.id}`;
    const stored = async () => {
      const [row] = await sql<{ secret: string }[]>`
        SELECT signing_secret AS secret FROM partners WHERE account_id = ${partner!.id}`;
      return row!.secret;
    };
    const [old] = secrets.secretKeys;
    const [second, third] = ['second', 'third'].map((id) => ({ id, key: randomBytes(32) }));
    await stopWorker();
    Object.assign(services, { secretBox: createSecretBox([second!, old]) });
    await startWorker();
    expect(await stored()).toMatch(/^sealed:second:/);

    const run = async (SECRET_KEYS: typeof config.SECRET_KEYS) =>
      await resealSecrets({
        config: { ...config, SECRET_KEYS },
        log: pino({ level: 'silent' }),
        signals: new StopSignals(),
      });
    const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      expect(await run([third!, second!])).toBe(0);
      expect(await stored()).toMatch(/^sealed:third:/);
      expect(await run([old])).toBe(1);
      expect(print.mock.calls.join()).toContain('Not opened by any key of SECRET_KEYS: partners:');
    } finally {
      print.mockRestore();
    }
  });
});
