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

async function operator(command: string): Promise<{ code: unknown; output: string; key: string | undefined }> {
  const program = Program.start(`operator ${command}`, { ...folder.environment, LOG_LEVEL: 'silent' });
  const code = await program.exit;
  return { code, output: program.output, key: /plk_[\w-]{32}/.exec(program.output)?.[0] };
}

test('operators are added, listed, rotated and revoked, with and without a running stack on DATA_DIR', async () => {
  const ann = await operator('add ann --role admin');
  expect([ann.code, ann.key]).toEqual([0, expect.any(String)]);

  const config = { ...loadConfig({ DATA_DIR: folder.path }), TEMPORAL_ADDRESS: 'none' };
  const stack = await startEmbeddedStack(config, () => undefined);
  const sql = connectPostgres(stack.config.DATABASE_URL!, { max: 1, applicationName: 'test' });
  try {
    const nameOf = async (key: string | undefined) => (await createAuthenticator(sql).authenticate(key))?.account.name;
    expect(await nameOf(ann.key)).toBe('ann');

    const bob = await operator('add bob --role viewer');
    expect((await operator('add bob')).code).toBe(1);
    const { output } = await operator('list');
    expect(output).toMatch(/^ann \(admin\): created .*, last used /m);
    expect(output).toMatch(/^bob \(viewer\): created .*, never used$/m);

    const rotated = await operator('rotate bob --overlap 0');
    expect([await nameOf(bob.key), await nameOf(rotated.key)]).toEqual([undefined, 'bob']);
    const again = await operator('rotate bob --overlap 3600');
    expect([await nameOf(rotated.key), await nameOf(again.key)]).toEqual(['bob', 'bob']);
    expect((await operator('rotate nobody')).output).toContain('There is no operator nobody.');
    expect((await operator('rotate bob --overlap -1')).code).not.toBe(0);

    expect(await operator('revoke ann')).toMatchObject({
      code: 1,
      output: expect.stringContaining('ann is the last admin'),
    });
    expect((await operator('revoke bob')).code).toBe(0);
    expect([await nameOf(again.key), await nameOf(rotated.key)]).toEqual([undefined, undefined]);
    expect((await operator('rotate bob')).output).toContain('is revoked');

    const short = await operator('add dan --key-days 2');
    const [key] = await sql`
      SELECT extract(epoch FROM k.expires_at - k.created_at)::float8 / 86400 AS days
      FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE a.name = 'dan'`;
    expect(key!.days).toBeCloseTo(2, 2);
    expect(await nameOf(short.key)).toBe('dan');
    await sql`UPDATE api_keys SET expires_at = now() WHERE account_id = (SELECT id FROM accounts WHERE name = 'dan')`;
    expect(await nameOf(short.key)).toBeUndefined();
    expect((await operator('add eve --key-days 0')).code).not.toBe(0);

    // The short form creates an admin, or rotates with an overlap.
    const cid = await operator('cid');
    expect(await nameOf(cid.key)).toBe('cid');
    expect((await operator('list')).output).toContain('cid (admin)');
    expect((await operator('revoke ann')).code).toBe(0);
  } finally {
    await sql.end();
    await stack.stop();
  }
});
