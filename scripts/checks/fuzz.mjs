/**
 * The long form of test/fuzz: `npm run check -- fuzz --requests 100000 --seed 7`. Prints findings as they occur, each with the
 * request as JSON. To repeat the slice of a finding, pass its seed with 1,000 requests.
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
  console.error('Usage: npm run check -- fuzz [--requests 100000] [--seed 1]');
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
