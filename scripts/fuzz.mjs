/**
 * The long form of test/fuzz: `npm run fuzz -- --requests 100000 --seed 7`. Findings are told as they come, each with
 * the request as JSON; the same seed with 1,000 requests sends the slice again that a finding came from.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const requests = Number(values.requests);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isInteger(requests) || requests < 1 || !Number.isInteger(seed)) {
  console.error('Usage: npm run fuzz -- [--requests 100000] [--seed 1]');
  process.exit(2);
}
console.error(`${requests} requests, seed ${seed}`);
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const run = spawn(process.execPath, [jest, '--runInBand', 'test/fuzz/'], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_REQUESTS: String(requests), FUZZ_SEED: String(seed) },
});
run.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
