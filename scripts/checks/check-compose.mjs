/**
 * Reads docker-compose.yml with Docker Compose, with and without the profile observability. Needs no container engine: uses `docker
 * compose` when it is installed, else builds Docker Compose from its Go module (about four minutes, once per user).
 *
 *   npm run check -- compose
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goTool, programOnPath } from '../external/go-tool.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Returns the command that runs Docker Compose. */
function composeCommand() {
  const docker = programOnPath('docker');
  if (docker !== undefined && spawnSync(docker, ['compose', 'version']).status === 0) return [docker, 'compose'];
  return [goTool('compose')];
}

/** Values that have the form of the secrets. `config` does not connect to anything. */
const key = Buffer.alloc(32).toString('base64');
const env = {
  ...process.env,
  POSTGRES_OWNER_PASSWORD: 'check',
  POSTGRES_PASSWORD: 'check',
  TEMPORAL_POSTGRES_PASSWORD: 'check',
  S3_ROOT_SECRET_KEY: 'check',
  S3_SECRET_KEY: 'check',
  LINK_SECRET: 'c'.repeat(32),
  SECRET_KEYS: `check:${key}`,
  PAYLOAD_KEYS: `check:${key}`,
  CARRIER_WEBHOOK_SECRETS: `tern_parcel:whsec_${key}`,
};

const [command, ...first] = composeCommand();
let failed = false;
/** Runs Docker Compose and returns what it prints. */
function compose(...args) {
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  if (stderr !== '') process.stderr.write(stderr);
  if (status !== 0) failed = true;
  return stdout.trim();
}

console.log(`Docker Compose ${compose('version', '--short')}`);
for (const profile of [[], ['--profile', 'observability']]) {
  const { services = {} } = JSON.parse(compose(...profile, 'config', '--format', 'json') || '{}');
  console.log(`${['docker compose', ...profile, 'config'].join(' ')}: ${Object.keys(services).length} services`);
  for (const [name, { image }] of Object.entries(services)) console.log(`  ${name.padEnd(20)} ${image}`);
}
console.log(failed ? 'docker-compose.yml is not valid.' : 'docker-compose.yml is valid.');
process.exitCode = failed ? 1 : 0;
