import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../packages/embedded-servers/ports';

/** Sessions of each database. Tests have more connections, so that they share them. */
export const POOLED_SESSIONS = 3;

/** Path of a PgBouncer, or undefined. `.ci/run` installs it. */
export function findPooler(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return [process.env.PGBOUNCER_PATH ?? '', ...folders.map((folder) => join(folder, 'pgbouncer'))].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export interface Pooler {
  /** host:port */
  readonly host: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode in front of the server of a URL, for the user of the URL and every database. */
export async function startPooler(serverUrl: string): Promise<Pooler> {
  const binary = findPooler();
  if (binary === undefined) throw new Error('There is no pgbouncer on PATH. Debian has it in the package pgbouncer.');
  const { hostname, port, username, password } = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pressline-pooler-'));
  const listens = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listens}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${POOLED_SESSIONS}
max_client_conn = 500
`,
  );
  // PgBouncer refuses to run as root.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    await chmod(folder, 0o755);
    for (const file of ['users.txt', 'pgbouncer.ini']) await chmod(join(folder, file), 0o644);
  }
  const child = spawn(binary, ['-q', ...(asRoot ? ['-u', 'nobody'] : []), join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null || tries === 200) {
      await stop();
      throw new Error(`pgbouncer does not listen: ${errors.join('')}`);
    }
    if (await accepts(listens)) return { host: `127.0.0.1:${listens}`, stop };
    await sleep(50);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)])
    .catch(() => false)
    .finally(() => socket.destroy());
}
