import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type EmbeddedPostgres, startPostgres } from '../../../packages/embedded-servers/postgres-server';
import { connectPostgres } from '../../../src/platform/postgres';
import { grantApplicationRole } from '../../../src/platform/schema/application-role';
import { warnOfPlainText } from '../../../src/platform/start-steps';

/** Postgres over TLS, with a certificate of an authority of its own for the address 127.0.0.1 and no name. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-tls-'));
const ca = join(folder, 'ca.crt');
let server: EmbeddedPostgres;

const openssl = (command: string) => execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });

beforeAll(async () => {
  openssl('req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=Test');
  openssl('req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=postgres');
  writeFileSync(join(folder, 'names.cnf'), 'subjectAltName=IP:127.0.0.1\n');
  openssl('x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile names.cnf -out server.crt');
  // The first start creates the folder that the certificate belongs in, with its owner.
  const first = await startPostgres(folder, () => undefined);
  await first.stop();
  const cluster = realpathSync(join(folder, 'postgres'));
  const { uid, gid } = statSync(cluster);
  for (const name of ['server.key', 'server.crt']) {
    writeFileSync(join(cluster, name), readFileSync(join(folder, name)), { mode: 0o600 });
    chownSync(join(cluster, name), uid, gid);
  }
  server = await startPostgres(folder, () => undefined, { ssl: 'on' });
}, 300_000);

afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const address = (change: (url: URL) => void) => {
  const url = new URL(server.url);
  change(url);
  return url.href;
};

/** Connects in a process of its own, which reads NODE_EXTRA_CA_CERTS when it starts. Returns the TLS version or the error. */
function connected(url: string, authorities?: string): string {
  const script = `
    const { connectPostgres } = require('./src/platform/postgres');
    const sql = connectPostgres(process.env.URL_TO_TRY, { max: 1 });
    sql\`SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()\`.then(
      ([row]) => console.log(row.version ?? 'in the clear'),
      (error) => console.log(error.code),
    ).finally(() => sql.end({ timeout: 1 }));`;
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  return execFileSync(process.execPath, ['--require', './test/support/register-typescript.cjs', '--eval', script], {
    encoding: 'utf8',
    env: { ...env, URL_TO_TRY: url, ...(authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }) },
  }).trim();
}
const verified = () => address((url) => url.searchParams.set('sslmode', 'verify-full'));

test('verify-full connects to a server that its URL names by address, with the authority in NODE_EXTRA_CA_CERTS', () => {
  expect(connected(verified(), ca)).toMatch(/^TLSv1\.[23]$/);
});

test('verify-full refuses a certificate of an unknown authority, and one for another name', () => {
  expect(connected(verified())).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  const byName = new URL(verified());
  byName.hostname = 'localhost';
  expect(connected(byName.href, ca)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('migrate applies a changed password of the application’s role', async () => {
  const owner = connectPostgres(server.url, { max: 1 });
  const asRole = (password: string) =>
    address((url) => {
      url.username = 'rotated_app';
      url.password = password;
    });
  const connects = async (password: string) => {
    const sql = connectPostgres(asRole(password), { max: 1 });
    try {
      await sql`SELECT 1`;
      return 'connected';
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  try {
    await owner`CREATE TABLE IF NOT EXISTS schema_version (version int)`;
    await grantApplicationRole(owner as never, asRole('first'));
    expect(await connects('first')).toBe('connected');
    await grantApplicationRole(owner as never, asRole('second'));
    expect([await connects('first'), await connects('second')]).toEqual(['28P01', 'connected']);
  } finally {
    await owner.end({ timeout: 1 });
  }
});

test.each([
  ['postgresql://db.example/pressline', { address: 'temporal.example:7233' }, ['Postgres', 'Temporal']],
  ['postgresql://10.0.0.5/pressline?sslmode=disable', { address: '127.0.0.1:7233' }, ['Postgres']],
  ['postgresql://10.0.0.5/pressline?sslmode=verify-full', { address: 'temporal.example:7233', tls: {} }, []],
  ['postgresql://127.0.0.1:5432/pressline', { address: 'localhost:7233' }, []],
])('%s and Temporal %j: a server on another machine without TLS is warned of', (databaseUrl, temporal, warned) => {
  const lines: string[] = [];
  warnOfPlainText({ databaseUrl, temporal }, pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }));
  expect(lines.map((line) => JSON.parse(line).msg.split(' ')[0])).toEqual(warned);
});
