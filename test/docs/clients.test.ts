import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import { type TestStack, testStack } from '../support/stack';

const text = readFileSync(join(projectRoot(), 'docs/clients.md'), 'utf8');
const [, quickStart] = /^```sh\n(.*?)^```/ms.exec(text)!;
const [, program] = /^```js\n(.*?)^```/ms.exec(text)!;

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack();
});

function bash(script: string): Promise<{ stdout: string; stderr: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-c', script]);
    let [stdout, stderr] = ['', ''];
    shell.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    shell.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    shell.on('error', reject);
    shell.on('close', (code) => resolve({ stdout, stderr, code }));
  });
}

test('the quick start of docs/clients.md has ten lines and takes an order from the key to shipped', async () => {
  expect(quickStart!.trim().split('\n')).toHaveLength(10);
  const { baseUrl, sandbox, credentials } = stack;
  const settings = `API=${baseUrl} FILES=${sandbox.url}/files KEY=${credentials.client.apiKey}:${credentials.client.apiSecret}`;
  const { stdout, stderr, code } = await bash(quickStart!.replace(/^API=.*$/m, settings));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toContain('"orderReferenceId":"web-2001"');
  expect(stdout).toMatch(/^"fulfillmentStatus":"(shipped|in_transit|delivered)"$/m);
  expect(stdout).toMatch(/^"trackingCode":"\w+"$/m);
});

test('the ten lines with the packed client take an order from the key to shipped', async () => {
  expect(program!.trim().split('\n')).toHaveLength(10);
  const root = projectRoot();
  execFileSync(process.execPath, [join(root, 'scripts/release/pack-client.mjs')], { cwd: root });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'pressline-client-program-'));
  const installed = join(folder, 'node_modules/@pressline/client');
  mkdirSync(installed, { recursive: true });
  const tarball = join(root, 'out', `pressline-client-${version}.tgz`);
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  writeFileSync(join(folder, 'order.mjs'), program!);
  const { baseUrl, sandbox, credentials } = stack;
  const { apiKey, apiSecret } = credentials.client;
  const settings = `API=${baseUrl} FILES=${sandbox.url}/files KEY=${apiKey} SECRET=${apiSecret}`;
  const { stdout, stderr, code } = await bash(`cd ${folder} && ${settings} ${process.execPath} order.mjs`);
  rmSync(folder, { recursive: true, force: true });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^(shipped|in_transit|delivered) \[ '\w+' \]\n$/);
});
