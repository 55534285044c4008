/**
 * Runs the steps of the Dockerfile in a clean folder, without a container engine: copies the build context, runs the RUN commands of
 * the stages, collects the files of the image, and looks at the result.
 *
 *   npm run check -- image
 *
 * Needs git and npm. Takes about two minutes.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = mkdtempSync(join(tmpdir(), 'pressline-image-'));
const build = join(folder, 'build');
const image = join(folder, 'image');
let failures = 0;

const report = (ok, line) => {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${line}`);
  if (!ok) failures += 1;
};

/** Returns the instructions of the Dockerfile as `[name, arguments]`, by stage. Continued lines are joined. */
function stages() {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const found = [];
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line);
    if (name === 'FROM') found.push([]);
    else found.at(-1).push([name, rest]);
  }
  return found;
}

/** Copies the files of the build context: those of git that .dockerignore lets through. */
function copyContext() {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const refused = lines
    .filter((line) => /^\w|^\*\*/.test(line))
    .flatMap((line) => [`:(exclude,glob)${line}`, `:(exclude,glob)${line}/**`]);
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--', ...allowed, ...refused], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const name of stdout.split('\0').filter((entry) => entry !== '' && existsSync(join(root, entry))))
    cpSync(join(root, name), join(build, name));
}

/** Runs a RUN instruction without its mounts. The folder's own Node packages come first on the PATH, as in npm scripts. */
function runStep(command) {
  const plain = command.replace(/--mount=\S+\s+/g, '');
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', plain], { cwd: build, encoding: 'utf8' });
  report(
    status === 0,
    `RUN ${plain.replace(/\s+/g, ' ').slice(0, 70)} (${Math.round((Date.now() - started) / 1_000)} s)`,
  );
  if (status !== 0) throw new Error(`${stdout}${stderr}`.split('\n').slice(-20).join('\n'));
}

/** Returns the size of the files in a folder in megabytes. */
function megabytes(path) {
  let bytes = 0;
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  return Math.round(bytes / 1e6);
}

/** Returns the packages in node_modules, with those in scopes. */
const installedPackages = (modules) =>
  readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    );

/** Runs the program of the image and returns its exit code and error output. */
function pressline(args, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/cli/main.js', ...args], {
    cwd: image,
    encoding: 'utf8',
    // The first start reads every package from a cold disk.
    timeout: 300_000,
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', DATA_DIR: join(folder, 'data'), ...env },
  });
  return { status, output: `${stdout}${stderr}`.trim() };
}

/** Starts the API with unavailable servers, and asks the health check of the Dockerfile. */
async function checkHealth(healthcheck) {
  const [, json] = /CMD (\[.*\])$/.exec(healthcheck);
  const [, ...args] = JSON.parse(json);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const ask = () =>
    spawnSync(process.execPath, args, {
      env: { ...process.env, METRICS_PORT: String(port) },
      timeout: 10_000,
    }).status;
  report(ask() === 1, 'HEALTHCHECK fails when nothing responds');
  const program = `require('node:http').createServer((request, response) => {
    response.statusCode = request.url === '/readyz' ? 200 : 404; response.end(); }).listen(${port}, '127.0.0.1')`;
  const server = spawn(process.execPath, ['-e', program]);
  let status = 1;
  for (let attempt = 0; attempt < 50 && status !== 0; attempt++) {
    await sleep(100);
    status = ask();
  }
  server.kill();
  report(status === 0, 'HEALTHCHECK succeeds when /readyz of the metrics listener responds with 200');
}

async function main() {
  const [buildStage, packagesStage, imageStage] = stages();
  mkdirSync(build);
  copyContext();
  report(!existsSync(join(build, 'node_modules')), 'the build context has no node_modules, keys or data');
  for (const [name, rest] of [...buildStage, ...packagesStage]) if (name === 'RUN') runStep(rest);

  mkdirSync(image);
  for (const [name, rest] of imageStage) {
    if (name !== 'COPY') continue;
    const [from, to] = rest.replace(/--from=\S+\s+/, '').split(/\s+/);
    const source = from.replace(/^\/app\//, '');
    cpSync(join(build, source), to === './' ? join(image, source) : join(image, to), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }

  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const development = installedPackages(join(image, 'node_modules')).filter(
    (name) => packages[`node_modules/${name}`]?.dev,
  );
  report(development.length === 0, `no development packages ${development.join(' ')}`);
  console.log(
    `     ${installedPackages(join(image, 'node_modules')).length} packages, ${megabytes(join(image, 'node_modules'))} MB, dist ${megabytes(join(image, 'dist'))} MB`,
  );
  const notShipped = [
    'bench',
    'kits/cli',
    'kits/create-pressline',
    'packages/file-reader/test',
    'sandbox/test',
    'test',
  ].filter((name) => existsSync(join(image, 'dist', name)));
  report(notShipped.length === 0, `dist has no benchmarks, tests and packages for others ${notShipped.join(' ')}`);
  const links = installedPackages(join(image, 'node_modules')).filter((name) =>
    lstatSync(join(image, 'node_modules', name)).isSymbolicLink(),
  );
  report(links.length === 0, `node_modules has no links ${links.join(' ')}`);
  const missing = ['LABEL', 'HEALTHCHECK', 'USER', 'STOPSIGNAL'].filter(
    (wanted) => !imageStage.some(([name]) => name === wanted),
  );
  report(missing.length === 0, `the image has labels, a health check, a user and a stop signal ${missing.join(' ')}`);

  const help = pressline(['--help']);
  report(help.status === 0 && help.output.includes('migrate'), 'the program starts and lists its commands');
  if (help.status !== 0) console.log(`     ${help.status}: ${help.output}`);
  const servers = {
    DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/none',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    START_TIMEOUT: '1s',
  };
  for (const command of ['api', 'worker', 'migrate', 'operator list']) {
    const { status, output } = pressline(command.split(' '), servers);
    const lines = output.split('\n');
    report(
      status === 1 && !output.includes('Cannot find'),
      `${command} without servers ends with "${lines.at(-1).slice(0, 80)}"`,
    );
  }
  await checkHealth(imageStage.find(([name]) => name === 'HEALTHCHECK')[1]);
}

try {
  await main();
} catch (error) {
  report(false, error.message);
}
rmSync(folder, { recursive: true, force: true });
console.log(failures === 0 ? 'The image builds.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
