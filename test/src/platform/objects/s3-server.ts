import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../packages/embedded-servers/ports';
import { projectRoot } from '../../../../src/platform/project-root';

/** Whether the S3 part of a suite runs: always under CI, elsewhere where Go can build the server. */
export function wantsS3Server(): boolean {
  if (process.env.CI) return true;
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface S3Server {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A real S3-compatible server over a temporary folder; sets the AWS credentials of this process. */
export async function startS3Server(): Promise<S3Server> {
  const tools = (await import(join(projectRoot(), 'scripts/external/go-tool.mjs'))) as { goTool(name: string): string };
  const path = tools.goTool('versitygw');
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
