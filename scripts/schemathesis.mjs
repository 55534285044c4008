/**
 * Schemathesis, a fuzzer of its own mind, against a stack that runs: it reads the OpenAPI document as any client would,
 * so that it also says where answers and document differ. Once as each role of the demo accounts.
 *
 *   pip install schemathesis
 *   RATE_LIMIT=0 DATA_DIR=.fuzz npm start        (in another terminal; its data is spoiled afterwards)
 *   DATA_DIR=.fuzz npm run fuzz:schemathesis -- --max-examples 200
 *
 * SCHEMATHESIS names the program when it is not on PATH. Further arguments go to `schemathesis run`.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What must hold of every answer; that odd data is refused, and how, test/fuzz knows better than a schema can say. */
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
  console.error(`${file} cannot be read: start Pressline first, and name its DATA_DIR.`);
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
    { stdio: 'inherit' },
  );
  if (run.error !== undefined) {
    console.error(
      `schemathesis did not start: ${run.error.message}. Install it with pip, or name it in SCHEMATHESIS.`,
    );
    process.exit(2);
  }
  failed ||= run.status !== 0;
}
process.exitCode = failed ? 1 : 0;
