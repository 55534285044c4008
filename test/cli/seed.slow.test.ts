import { startEmbeddedStack } from '../../cli/embedded-stack';
import { createAuthenticator } from '../../src/accounts/authenticator';
import { loadConfig } from '../../src/platform/config';
import { connectPostgres } from '../../src/platform/postgres';
import { DataFolder, Program } from './stack-process';

let folder: DataFolder;

beforeAll(async () => {
  folder = await new DataFolder().withFreePorts();
});
afterAll(() => folder.remove());

async function seed(args: string, environment: NodeJS.ProcessEnv = {}) {
  const program = Program.start(`seed ${args}`.trim(), {
    ...folder.environment,
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const code = await program.exit;
  return { code, output: program.output };
}

test('seed adds demo accounts, partners, catalog and stock, and in production only when asked to', async () => {
  expect(await seed('', { NODE_ENV: 'production' })).toEqual({
    code: 1,
    output: expect.stringContaining('--allow-production'),
  });
  const first = await seed('--allow-production', { NODE_ENV: 'production' });
  expect(first.code).toBe(0);
  // A second run adds nothing but keys.
  const second = await seed('');
  expect(second.code).toBe(0);

  const config = { ...loadConfig({ DATA_DIR: folder.path }), TEMPORAL_ADDRESS: 'none' };
  const stack = await startEmbeddedStack(config, () => undefined);
  const sql = connectPostgres(stack.config.DATABASE_URL!, { max: 1, applicationName: 'test' });
  try {
    const authenticator = createAuthenticator(sql);
    for (const { output } of [first, second]) {
      const keys = [...output.matchAll(/^(Client|Partner|Operator) +X-API-KEY: (\S+)/gm)].map(([, , key]) => key);
      const names = [];
      for (const key of keys) names.push((await authenticator.authenticate(key))?.account.name);
      expect(names).toEqual(['demo-client', 'prints-berlin', 'prints-ohio', 'operator']);
    }
    const [counts] = await sql`
      SELECT (SELECT count(*) FROM accounts)::int AS accounts, (SELECT count(*) FROM partners)::int AS partners,
             (SELECT count(*) FROM product_models)::int > 0 AS "hasModels",
             (SELECT count(*) FROM stock_items)::int > 0 AS "hasStock"`;
    expect(counts).toEqual({ accounts: 4, partners: 2, hasModels: true, hasStock: true });
  } finally {
    await sql.end();
    await stack.stop();
  }
});
