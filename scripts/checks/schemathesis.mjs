/**
 * Runs the fuzzer Schemathesis against a running stack, once for each role of the demo accounts. It makes its requests
 * from the OpenAPI document, so it also finds responses that differ from the document.
 *
 *   pip install schemathesis
 *   RATE_LIMIT=0 DATA_DIR=.fuzz npm start        (in another terminal; discard its data afterwards)
 *   DATA_DIR=.fuzz npm run check -- schemathesis --max-examples 200
 *
 * Set SCHEMATHESIS to the path of the program when it is not on PATH. Other arguments are passed to `schemathesis run`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Checks of every response. How invalid data is refused is left to test/fuzz, which knows more than the schema. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

const file = join(process.env.DATA_DIR || '.data', 'credentials.json');
let credentials;
try {
  credentials = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  console.error(`Cannot read ${file}. Start Pressline first, and set DATA_DIR to its data folder.`);
  process.exit(2);
}
const { baseUrl, client, partners, operator } = credentials;
const keys = {
  client: `${client.apiKey}:${client.apiSecret}`,
  partner: partners[0].apiKey,
  operator: operator.apiKey,
};

let failed = false;
for (const [role, key] of Object.entries(keys)) {
  console.log(`As ${role}:`);
  const given = ['run', `${baseUrl}/openapi.json`, '--url', baseUrl, '--header', `X-API-KEY: ${key}`];
  const run = spawnSync(
    process.env.SCHEMATHESIS || 'schemathesis',
    [...given, '--checks', CHECKS.join(','), '--continue-on-failure', ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      env: { ...process.env, PYTHONPATH: import.meta.dirname, SCHEMATHESIS_HOOKS: 'schemathesis_hooks' },
    },
  );
  if (run.error !== undefined) {
    console.error(
      `schemathesis did not start: ${run.error.message}. Install it with pip, or set SCHEMATHESIS to its path.`,
    );
    process.exit(2);
  }
  failed ||= run.status !== 0;
}
process.exitCode = failed ? 1 : 0;
