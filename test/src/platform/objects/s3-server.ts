import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../../packages/embedded-servers/ports';

const TOOL = join(__dirname, '../../../../tools/s3');
const pinned = /versitygw (v\S+)/.exec(readFileSync(join(TOOL, 'go.mod'), 'utf8'))![1]!;
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pressline');
const binary = join(cache, `versitygw-${pinned}-${process.platform}-${process.arch}`);

/** Whether the S3 part of a suite runs: always under CI; elsewhere where the server is built or Go can build it. */
export function wantsS3Server(): boolean {
  if (process.env.CI || existsSync(binary)) return true;
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The Versity S3 gateway as pinned in tools/s3, built once for each user (under two minutes, modules included). */
async function gatewayBinary(): Promise<string> {
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  await promisify(execFile)('go', ['build', '-o', unfinished, 'github.com/versity/versitygw/cmd/versitygw'], {
    cwd: TOOL,
    maxBuffer: 64 * 1024 * 1024,
  });
  renameSync(unfinished, binary);
  return binary;
}

export interface S3Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A real S3-compatible server over a temporary folder; sets the AWS credentials of this process. */
export async function startS3Server(): Promise<S3Server> {
  const path = await gatewayBinary();
  const folder = mkdtempSync(join(tmpdir(), 'pressline-s3-'));
  for (const part of ['meta', 'data', 'versions']) mkdirSync(join(folder, part));
  const port = await freePort();
  const credentials = { id: 'test-access', secret: 'test-secret-key' };
  process.env.AWS_ACCESS_KEY_ID = credentials.id;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secret;
  const access = ['--access', credentials.id, '--secret', credentials.secret, '--port', `127.0.0.1:${port}`, '--quiet'];
  const folders = [
    '--sidecar',
    join(folder, 'meta'),
    '--versioning-dir',
    join(folder, 'versions'),
    join(folder, 'data'),
  ];
  const child = spawn(path, [...access, 'posix', ...folders], { stdio: ['ignore', 'pipe', 'pipe'] });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilResponding(endpoint, child);
  return {
    endpoint,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilResponding(endpoint: string, child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  for (let attempt = 0; attempt < 100; attempt++) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended: ${said}`);
    const response = await fetch(endpoint).catch(() => undefined);
    if (response !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the S3 server does not respond: ${said}`);
}
