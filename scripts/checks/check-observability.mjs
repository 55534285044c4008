/**
 * Runs a real Prometheus against a running Pressline: rules load and pass their tests, every query of the dashboards returns data
 * after an order, and provoked faults fire their alerts.
 *
 *   npm run check -- observability
 *
 * Needs `prometheus` and `promtool` on the PATH (Debian: apt-get install prometheus). Starts its own stack on free ports with a
 * temporary data folder, and stops it. Takes about six minutes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const rulesFolder = join(root, 'deploy', 'prometheus');
const dashboardsFolder = join(root, 'deploy', 'grafana');
const folder = mkdtempSync(join(tmpdir(), 'pressline-observability-'));
const processes = [];
let failures = 0;

const report = (ok, line) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) failures += 1;
};

/** Returns the path of a program on the PATH. Ends the script when there is none. */
function programPath(name) {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((path) => join(path, name))
    .find(existsSync);
  if (found !== undefined) return found;
  console.error(`${name} is not on the PATH. Install Prometheus (Debian: apt-get install prometheus).`);
  process.exit(2);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Starts a process whose output goes to a log in the temporary folder. */
function start(name, command, args, options = {}) {
  const log = openSync(join(folder, `${name}.log`), 'w');
  const child = spawn(command, args, { stdio: ['ignore', log, log], ...options });
  processes.push(child);
  return child;
}

/** Calls `look` every second until it returns something other than undefined. Returns undefined after the timeout. */
async function eventually(look, seconds) {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(1_000)) {
    const seen = await look().catch(() => undefined);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

/** Copies the rules with short `for` and rate windows, so that faults fire within a minute. */
function hastenedRules() {
  const text = readFileSync(join(rulesFolder, 'alerts.yml'), 'utf8')
    .replace(/^( +for): .*$/gm, '$1: 5s')
    .replace(/> 120$/gm, '> 10');
  const path = join(folder, 'alerts.yml');
  writeFileSync(path, text);
  return path;
}

async function prometheusQuery(url, query) {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data, error } = await response.json();
  if (!response.ok) throw new Error(error);
  return data.result;
}

const firing = async (url, name) =>
  (await prometheusQuery(url, `ALERTS{alertname="${name}",alertstate="firing"}`)).length > 0 ? true : undefined;

const queriesOf = (file) =>
  JSON.parse(readFileSync(join(dashboardsFolder, file), 'utf8')).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ panel: `${file}: ${title}`, expr })),
  );

/** Submits the order of the demo again, under another reference. `marker` selects a behaviour of the sandbox partners. */
async function submitOrder({ baseUrl, client }, demoOrder, reference, marker) {
  const response = await fetch(`${baseUrl}/v1/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': `${client.apiKey}:${client.apiSecret}` },
    body: JSON.stringify({
      ...demoOrder,
      orderReferenceId: reference,
      shippingAddress: { ...demoOrder.shippingAddress, ...(marker && { addressLine2: marker }) },
    }),
  });
  if (!response.ok) throw new Error(`the order was not accepted: ${await response.text()}`);
}

/** Returns the ids of the processes whose arguments contain a text. */
function processIds(text) {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text)).map((line) => Number(line.trim().split(/\s+/, 1)[0]));
}

async function main() {
  const prometheus = programPath('prometheus');
  const promtool = programPath('promtool');
  for (const args of [
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ]) {
    execFileSync(promtool, args, { cwd: rulesFolder, stdio: 'inherit' });
    report(true, `promtool ${args.join(' ')}`);
  }

  const metricsPort = await freePort();
  const prometheusUrl = `http://127.0.0.1:${await freePort()}`;
  const config = {
    global: { scrape_interval: '2s', evaluation_interval: '2s' },
    rule_files: [hastenedRules()],
    scrape_configs: [{ job_name: 'pressline', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  start('prometheus', prometheus, [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=${prometheusUrl.slice('http://'.length)}`,
  ]);
  const dataDir = join(folder, 'data');
  start('demo', process.execPath, ['dist/cli/main.js', 'demo'], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', METRICS_PORT: String(metricsPort) },
  });
  const up = await eventually(
    async () => readFileSync(join(folder, 'demo.log'), 'utf8').includes('Everything keeps running') || undefined,
    300,
  );
  report(up === true, 'the order of the demo is delivered');
  if (up !== true) return;
  const credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const { sampleOrder } = await import(join(root, 'dist', 'cli', 'demo', 'sample-order.js'));
  const [, sandboxUrl] = /Sandbox +(http\S+)\/control/.exec(readFileSync(join(folder, 'demo.log'), 'utf8'));
  const order = sampleOrder('check', sandboxUrl);

  const { data } = await (await fetch(`${prometheusUrl}/api/v1/rules`)).json();
  const rules = data.groups.flatMap((group) => group.rules);
  const unhealthy = rules.filter(({ health }) => health === 'err');
  report(rules.length > 0 && unhealthy.length === 0, `${rules.length} rules are loaded and evaluate`);

  for (const file of readdirSync(dashboardsFolder)) {
    const queries = queriesOf(file);
    const empty = [];
    for (const { panel, expr } of queries) {
      const found = await eventually(
        async () => (await prometheusQuery(prometheusUrl, expr)).length > 0 || undefined,
        15,
      );
      if (found !== true) empty.push(`${panel}: ${expr}`);
    }
    report(empty.length === 0, `${file}: ${queries.length} queries, ${empty.length} without data`);
    for (const line of empty) console.log(`       ${line}`);
  }

  for (const n of [1, 2, 3, 4])
    await submitOrder(credentials, order, `check-partner-dead-${n}`, 'sandbox:fails-first=1000');
  const partnerFires = await eventually(() => firing(prometheusUrl, 'PresslinePartnerFailing'), 180);
  report(partnerFires === true, 'a dead partner fires PresslinePartnerFailing');

  // A stopped process does not respond. The watchdog of the stack replaces it, so the new one is stopped too.
  const stopping = setInterval(() => {
    for (const pid of processIds(`--db-filename ${dataDir}/`)) process.kill(pid, 'SIGSTOP');
  }, 500);
  await sleep(1_000);
  await submitOrder(credentials, order, 'check-temporal-stopped');
  const temporalFires = await eventually(() => firing(prometheusUrl, 'PresslineMessagesNotSent'), 120);
  clearInterval(stopping);
  for (const pid of processIds(`--db-filename ${dataDir}/`)) process.kill(pid, 'SIGCONT');
  report(temporalFires === true, 'a stopped Temporal fires PresslineMessagesNotSent');
}

/** Interrupts the processes, and kills those that have not ended after 30 s. */
async function stopAll() {
  for (const child of processes.reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await Promise.race([ended, sleep(30_000)]);
    child.kill('SIGKILL');
  }
}

try {
  await main();
} catch (error) {
  report(false, error.stack ?? String(error));
} finally {
  await stopAll();
}
if (failures === 0) rmSync(folder, { recursive: true, force: true });
else console.log(`Logs are in ${folder}`);
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
process.exit(failures === 0 ? 0 : 1);
