/**
 * Packs the npm packages that run without a clone, installs each in an empty project, and runs it: the command line against a stack,
 * the sandbox as the stack's partners, the partner kit against an example partner, create-pressline into a new folder.
 *
 *   npm run check -- packages
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'pressline-packages-'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const running = [];
let failures = 0;

const report = (ok, line, output = '') => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) {
    console.log(output);
    failures += 1;
  }
};

/** Runs a program and reports whether it ends with an exit code and prints a text. @returns what it prints */
function check(line, { cwd, env = {}, code = 0, prints = '' }, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  report(status === code && stdout.includes(prints), line, `exit code ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Starts a program and waits until it prints a text. @throws Error when it ends before */
async function start(text, { env, cwd = root }, command, ...args) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  for (let waited = 0; !output.includes(text); waited += 1) {
    if (waited > 1_800 || child.exitCode !== null) throw new Error(`${command} did not print ${text}:\n${output}`);
    await sleep(100);
  }
}

/** Installs a package in a project of its own. @returns the folder of the project and the path of its command */
function install(tarball, bin) {
  const cwd = join(folder, bin);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'package.json'), '{ "name": "empty", "private": true }\n');
  const path = join(root, 'out', `${tarball}-${version}.tgz`);
  check(`npm installs ${tarball} in an empty project`, { cwd }, 'npm', 'install', '--no-audit', '--no-fund', path);
  return { cwd, command: join(cwd, 'node_modules', '.bin', bin) };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function checkCommandLineAndSandbox() {
  const dataDir = join(folder, 'data');
  const stack = { DATA_DIR: dataDir, PORT: '0', SANDBOX: 'off' };
  await start('Press Ctrl-C', { env: stack }, process.execPath, join(root, 'dist/cli/main.js'), 'start');
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const env = { PRESSLINE_URL: credentials.baseUrl, PRESSLINE_OPERATOR_KEY: credentials.operator.apiKey };

  const cli = install('pressline-cli', 'pressline');
  check('pressline partner list', { ...cli, env, prints: 'Prints Berlin' }, cli.command, 'partner', 'list');
  const request = { jsonrpc: '2.0', id: 1, method: 'initialize' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'check', version: '1' } };
  const { stdout } = spawnSync(cli.command, ['mcp'], {
    ...{ cwd: cli.cwd, env: { ...process.env, ...env }, encoding: 'utf8' },
    input: `${JSON.stringify({ ...request, params })}\n`,
  });
  report(stdout.includes('"serverInfo":{"name":"pressline"'), 'pressline mcp responds to an assistant', stdout);

  const sandbox = install('pressline-sandbox', 'sandbox');
  const partners = credentials.partners.map(({ name, apiKey }) => `${name}:${apiKey}`).join(',');
  const settings = { cwd: sandbox.cwd, env: { ...env, SANDBOX_PARTNERS: partners } };
  const port = await freePort();
  await start('have subscribed', settings, sandbox.command, '--port', String(port), '--fast');
  const ping = { ...cli, env, prints: 'accepted' };
  check('the sandbox accepts a signed message of Pressline', ping, cli.command, 'partner', 'ping', 'prints-berlin');
  const { status } = await fetch(`http://127.0.0.1:${port}/files/poster-a3.pdf`);
  report(status === 200, 'the sandbox makes print files');
}

async function checkPartnerKit() {
  const kit = install('pressline-partner-kit', 'partner-kit');
  const port = await freePort();
  const env = {
    ...{ PRESSLINE_URL: 'http://127.0.0.1:9', PRESSLINE_KEY: 'check', PORT: String(port), SIGNING_SECRET: SECRET },
    DATA: join(folder, 'partner.json'),
  };
  const example = join(root, 'examples/print-partner/partner.mts');
  await start(String(port), { env }, process.execPath, example);
  const url = `http://127.0.0.1:${port}`;
  const options = ['--url', `${url}/orders`, '--kinds', 'print'];
  check('partner-kit check passes a good partner', kit, kit.command, 'check', ...options, '--secret', SECRET);
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const wrong = { ...kit, code: 1, prints: 'print-order-refused' };
  check('partner-kit check finds a wrong secret', wrong, kit.command, 'check', ...options, '--secret', other);
  const program = (load) => `${load}
try { verifyMessage('{}', {}, '${SECRET}'); throw new Error('not refused'); }
catch (error) { if (!(error instanceof WebhookVerificationError)) throw error; }
`;
  const names = '{ verifyMessage, WebhookVerificationError }';
  writeFileSync(join(kit.cwd, 'esm.mjs'), program(`import ${names} from '@pressline/partner-kit';`));
  writeFileSync(join(kit.cwd, 'cjs.cjs'), program(`const ${names} = require('@pressline/partner-kit');`));
  check('verifyMessage as an ES module', kit, process.execPath, 'esm.mjs');
  check('verifyMessage with require', kit, process.execPath, 'cjs.cjs');
}

function checkCreatePressline() {
  const { cwd, command } = install('create-pressline', 'create-pressline');
  check('create-pressline writes a folder', { cwd, prints: 'docker compose up' }, command, 'shop');
  const text = readFileSync(join(cwd, 'shop', 'docker-compose.yml'), 'utf8');
  const set = new Set(readFileSync(join(cwd, 'shop', '.env'), 'utf8').match(/^\w+(?==.)/gm));
  const required = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
  report(required.length > 0 && required.every((name) => set.has(name)), 'its .env has every secret', `${[...set]}`);
  const { services } = parse(text, { merge: true });
  const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
    volumes.filter((each) => /^\.\//.test(each)).map((each) => each.split(':')[0]),
  );
  const missing = mounted.filter((path) => !existsSync(join(cwd, 'shop', path)));
  report(mounted.length > 0 && missing.length === 0, 'it has every file that a container mounts', `${missing}`);
  report(
    Object.values(services).every(({ image, build }) => image && !build),
    'every service has an image',
  );
  check('create-pressline keeps a folder that is not empty', { cwd, code: 1 }, command, 'shop');
}

try {
  execFileSync('npm', ['run', '--silent', 'pack', '--', 'packages'], { cwd: root, stdio: 'inherit' });
  checkCreatePressline();
  await checkPartnerKit();
  await checkCommandLineAndSandbox();
} catch (error) {
  report(false, error.stack);
}
for (const child of running.reverse()) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill('SIGTERM')) await ended;
}
if (failures === 0) rmSync(folder, { recursive: true, force: true });
console.log(failures === 0 ? 'The packages work.' : `${failures} checks failed. The files are in ${folder}.`);
process.exitCode = failures === 0 ? 0 : 1;
