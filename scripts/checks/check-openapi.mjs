/**
 * Checks the OpenAPI document of a running Pressline with tools of other ecosystems: Redocly's lint reports nothing, and the Python
 * client that is generated from it is installed by pip, has every operation and takes an order to shipped.
 *
 *   npm run check -- openapi
 *
 * Needs Python 3.11 with venv, npx, and access to the package registries. Starts its own stack with a temporary data folder.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REDOCLY = '@redocly/cli@2.77.0';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'pressline-openapi-'));
let failures = 0;

const report = (ok, line) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) failures += 1;
};

/** Submits the order in the file of the first argument and waits until it is shipped. Prints each new status. */
const ORDER_PROGRAM = `
import json, sys, time
from pressline_client import AuthenticatedClient
from pressline_client.api.orders import get_order, submit_order
from pressline_client.models import SubmitOrder

body, base_url, key = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
client = AuthenticatedClient(base_url=base_url, token=key, prefix="", auth_header_name="X-API-KEY", raise_on_unexpected_status=True)
submitted = submit_order.sync(client=client, body=SubmitOrder.from_dict(body), idempotency_key="python-1")
status = None
for _ in range(600):
    order = get_order.sync(submitted.id, client=client)
    if order.fulfillment_status != status:
        status = order.fulfillment_status
        print(f"     order {order.order_reference_id}: {status}", flush=True)
    if status in ("shipped", "in_transit", "delivered"):
        sys.exit(0)
    time.sleep(0.2)
sys.exit(1)
`;

/** Starts a stack with embedded servers. @returns its process and credentials */
async function startStack() {
  const dataDir = join(folder, 'data');
  const log = openSync(join(folder, 'stack.log'), 'w');
  const stack = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'start'], {
    stdio: ['ignore', log, log],
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0' },
  });
  const output = () => readFileSync(join(folder, 'stack.log'), 'utf8');
  for (let waited = 0; !/^Sandbox +http/m.test(output()); waited += 1) {
    if (waited > 180 || stack.exitCode !== null) {
      stack.kill('SIGTERM');
      throw new Error(`the stack did not start:\n${output()}`);
    }
    await sleep(1_000);
  }
  const [, sandboxUrl] = /^Sandbox +(http\S+)/m.exec(output());
  return { stack, sandboxUrl, ...JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) };
}

function lint(document) {
  const { stdout, stderr } = spawnSync('npx', ['-y', REDOCLY, 'lint', document, '--format=json'], {
    encoding: 'utf8',
    cwd: folder,
  });
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')) || `{"totals":{"errors":1}}`);
  report(
    totals.errors === 0 && totals.warnings === 0,
    `redocly lint: ${totals.errors} errors, ${totals.warnings} warnings`,
  );
  for (const { severity, message, location } of problems ?? [])
    console.log(`       ${severity}: ${message} ${location?.[0]?.pointer ?? ''}`);
  if (totals.warnings === undefined) console.log(stderr);
}

/** Builds the Python client and installs it in a virtual environment. @returns the Python interpreter */
function installPythonClient() {
  execFileSync('npm', ['run', '--silent', 'pack', '--', 'python-client'], { cwd: root, stdio: 'inherit' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bin = join(folder, 'venv', 'bin');
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  const wheel = join(root, 'out', `pressline_client-${version}-py3-none-any.whl`);
  const { status, stderr } = spawnSync(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', wheel], {
    encoding: 'utf8',
  });
  report(status === 0, `pip installs ${wheel}`);
  if (status !== 0) throw new Error(stderr);
  return join(bin, 'python');
}

async function main() {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const { stack, baseUrl, client, sandboxUrl } = await startStack();
  try {
    const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
    const documentPath = join(folder, 'openapi.json');
    writeFileSync(documentPath, text);
    lint(documentPath);
    const python = installPythonClient();
    const { sampleOrder } = await import(join(root, 'dist', 'cli', 'demo', 'sample-order.js'));
    writeFileSync(join(folder, 'order.json'), JSON.stringify(sampleOrder('python-1', sandboxUrl)));
    writeFileSync(join(folder, 'order.py'), ORDER_PROGRAM);
    const { status } = spawnSync(
      python,
      ['order.py', join(folder, 'order.json'), baseUrl, `${client.apiKey}:${client.apiSecret}`],
      { cwd: folder, stdio: 'inherit' },
    );
    report(status === 0, 'the Python client submits an order and reads it until it is shipped');
  } finally {
    stack.kill('SIGTERM');
    await new Promise((resolve) => {
      stack.once('exit', resolve);
      if (stack.exitCode !== null) resolve();
    });
  }
}

await main().catch((error) => report(false, error.stack));
if (failures === 0) rmSync(folder, { recursive: true, force: true });
else console.log(`The files are in ${folder}.`);
process.exitCode = failures === 0 ? 0 : 1;
