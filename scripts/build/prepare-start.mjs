/**
 * Prepares the first start: builds the engine and the console, and at the same time downloads or builds the Temporal server
 * when this machine has none. Prints each step with the seconds since the beginning; prints nothing when all is ready.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { requireTypeScript } from './load-typescript.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const started = performance.now();

const say = (line) => console.log(`[${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s] ${line}`);

/** Runs a script of this folder, and prints its lines. @throws Error when it fails. It has printed why */
async function run(script) {
  const child = spawn(process.execPath, [join(folder, script)], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', say);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${script} failed`);
}

async function build() {
  await run('generate-client.mjs');
  await Promise.all([run('build.mjs'), run('build-console.mjs')]);
}

async function getTemporal() {
  const require = requireTypeScript(import.meta.url);
  const { loadConfig } = require('../../src/platform/config');
  const { findTemporalBinary, presentTemporalBinary } = require('../../packages/embedded-servers/temporal-binary');
  const { TEMPORAL_ADDRESS, TEMPORAL_CLI_PATH, TEMPORAL_DOWNLOAD_TIMEOUT } = loadConfig();
  if (TEMPORAL_ADDRESS !== undefined) return;
  const search = { cliPath: TEMPORAL_CLI_PATH, downloadTimeoutMs: TEMPORAL_DOWNLOAD_TIMEOUT };
  // The start itself says which server this machine has.
  if ((await presentTemporalBinary({ ...search, report: () => undefined })) !== undefined) return;
  await findTemporalBinary({ ...search, report: say });
}

const results = await Promise.allSettled([build(), getTemporal()]);
for (const { reason } of results) {
  if (reason === undefined) continue;
  console.error(reason.message);
  process.exitCode = 1;
}
