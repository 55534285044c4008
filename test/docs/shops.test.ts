import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import { testStack } from '../support/stack';

const [, quickStart] = /^```sh\n(.*?)^```/ms.exec(
  readFileSync(join(projectRoot(), 'docs/shops.md'), 'utf8'),
)!;

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

test('the quick start of docs/shops.md has ten lines and takes an order from the key to shipped', async () => {
  expect(quickStart!.trim().split('\n')).toHaveLength(10);
  const { baseUrl, sandbox, credentials } = await testStack();
  const settings = `API=${baseUrl} FILES=${sandbox.url}/files KEY=${credentials.client.apiKey}:${credentials.client.apiSecret}`;
  const { stdout, stderr, code } = await bash(quickStart!.replace(/^API=.*$/m, settings));
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toContain('"orderReferenceId":"shop-2001"');
  expect(stdout).toMatch(/^"fulfillmentStatus":"(shipped|in_transit|delivered)"$/m);
  expect(stdout).toMatch(/^"trackingCode":"\w+"$/m);
}, 120_000);
