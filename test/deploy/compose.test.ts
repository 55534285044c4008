import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { loadSecrets } from '../../cli/secrets';
import { newSecrets } from '../../kits/create-pressline/secrets';
import { loadConfig, VARIABLES } from '../../src/platform/config';
import { shutdownDelayMs } from '../../src/platform/health';
import { projectRoot } from '../../src/platform/project-root';
import { bash, blocks } from '../support/pages';

/** docker-compose.yml, read strictly. `npm run check -- compose` reads it with Docker Compose itself. */

const root = projectRoot();
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: string | string[];
  readonly entrypoint?: string[];
  readonly restart: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly volumes?: (string | object)[];
  readonly profiles?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: { test: string[] };
  readonly stop_grace_period?: string;
  readonly networks?: string[] | Record<string, unknown>;
  readonly [key: string]: unknown;
}

interface Network {
  readonly internal?: boolean;
  readonly ipam?: { readonly config: [{ readonly subnet: string; readonly gateway: string }] };
}

/** Parses YAML as Docker Compose does, with merge keys. Duplicate keys are errors. */
function strictly(yaml: string): {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, Network>;
} {
  const document = parseDocument(yaml, { merge: true, strict: true, uniqueKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw problem;
  return document.toJS();
}

/** Replaces ${NAME}, ${NAME:-default} and ${NAME:?} with values of an environment. */
function interpolated(value: string, env: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest?: string) => {
    const set = env[name];
    if (set) return set;
    if (kind === '?') throw new Error(`${name} is not set`);
    return kind === '-' ? rest! : '';
  });
}

const file = strictly(text);
const services = Object.entries(file.services);
const ours = services.filter(([, { image }]) => image === 'pressline');
const required = [...new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name!))].sort();

/** The secrets of a folder that create-pressline writes. */
const SECRETS = newSecrets();
const environmentOf = (service: Service) =>
  Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [name, interpolated(value, SECRETS)]),
  );

describe('docker-compose.yml', () => {
  test('has the form of the Compose Specification', () => {
    const schema = JSON.parse(read('test/deploy/schemas/compose-spec.json'));
    // zod knows draft 7 by its http address.
    const composeFile = z.fromJSONSchema({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
    expect(composeFile.safeParse(file).error?.issues ?? []).toEqual([]);
    expect(composeFile.safeParse({ services: { api: { imag: 'a' } } }).success).toBe(false);
  });

  test('requires no secret but those that create-pressline generates', () => {
    const optional = ['PAYLOAD_KEYS', 'GRAFANA_ADMIN_PASSWORD'];
    expect([...required, ...optional].sort()).toEqual(Object.keys(SECRETS).sort());
  });

  test('gets every required secret from the recipe of the documentation', async () => {
    const recipe = blocks('operation/deployment', 'sh').find((block) => block.includes('docker compose up'))!;
    const folder = mkdtempSync(join(tmpdir(), 'pressline-recipe-'));
    const { stdout, stderr } = await bash(`cd ${folder}; docker() { echo "docker $@"; }\n${recipe}`);
    expect([stderr, stdout.match(/^docker compose/gm)]).toEqual(['', Array(2).fill('docker compose')]);
    const values = parseEnv(readFileSync(join(folder, '.env'), 'utf8'));
    rmSync(folder, { recursive: true });
    for (const name of required) expect(values[name]).toMatch(/\S{40}/);
    const { LINK_SECRET, SECRET_KEYS, PAYLOAD_KEYS, CARRIER_WEBHOOK_SECRETS } = values;
    const config = loadConfig({ LINK_SECRET, SECRET_KEYS, PAYLOAD_KEYS, CARRIER_WEBHOOK_SECRETS });
    expect(config).toMatchObject({ LINK_SECRET: expect.anything(), SECRET_KEYS: [{}], PAYLOAD_KEYS: [{}] });
  });

  test('names every required variable in its comment', () => {
    const comment = text.slice(0, text.indexOf('\nname: '));
    for (const name of required) expect(comment).toContain(name);
  });

  test('uses exact versions of its images', () => {
    for (const [name, { image, build }] of services) {
      if (image === 'pressline') continue;
      expect([name, build]).toEqual([name, undefined]);
      expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+(\.\d+)?(-alpine)?@sha256:[0-9a-f]{64}$/);
      expect(image).not.toContain('auto-setup');
    }
  });

  test('connects services, volumes and networks that exist', () => {
    for (const [name, { depends_on = {}, volumes = [] }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = file.services[other];
        expect([name, other, target !== undefined]).toEqual([name, other, true]);
        const isJob = target!.restart.startsWith('on-failure');
        expect(condition).toBe(isJob ? 'service_completed_successfully' : 'service_healthy');
        if (!isJob) expect(target!.healthcheck).toBeDefined();
      }
      for (const volume of volumes.filter((entry) => typeof entry === 'string')) {
        const [source, , mode] = volume.split(':');
        if (source!.startsWith('.')) {
          expect([source, existsSync(join(root, source!)), mode]).toEqual([source, true, 'ro']);
        } else expect(file.volumes).toHaveProperty(source!);
      }
    }
  });

  test('every container is in the networks that it needs, and only the one at the edge leads out', () => {
    const reach = Object.fromEntries(
      services.map(([name, { networks = [] }]) => [name, Array.isArray(networks) ? networks : Object.keys(networks)]),
    );
    expect(reach).toEqual({
      migrate: ['data'],
      api: ['edge', 'app', 'data'],
      worker: ['edge', 'app', 'data'],
      database: ['data'],
      'temporal-schema': ['temporal-data'],
      temporal: ['app', 'temporal-data'],
      'temporal-namespace': ['app'],
      'temporal-database': ['temporal-data'],
      'temporal-ui': ['edge', 'app'],
      objects: ['edge', 'data'],
      'objects-setup': ['data'],
      prometheus: ['app'],
      grafana: ['edge', 'app'],
      'otel-collector': ['edge', 'app'],
    });
    const { edge, ...internal } = file.networks;
    for (const [name, network] of Object.entries(internal)) expect([name, network.internal]).toEqual([name, true]);
    // A proxy on this machine reaches the published port through the gateway.
    const [{ subnet, gateway }] = edge!.ipam!.config;
    expect(gateway.split('.').slice(0, 3)).toEqual(subnet.split('.').slice(0, 3));
    expect(interpolated(file.services.api!.environment!.TRUSTED_PROXIES!, {})).toBe(gateway);
  });

  test('the scripts that it mounts are valid', () => {
    for (const name of ['temporal-schema', 'temporal-namespace', 'objects-setup'])
      expect(() => execFileSync('sh', ['-n', join(root, 'deploy/compose', `${name}.sh`)])).not.toThrow();
  });
});

describe('every container', () => {
  test.each(services)('%s has no capability it does not need, no new privileges and a memory limit', (_, service) => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.privileged).toBeUndefined();
    const added = service.image.startsWith('postgres:')
      ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']
      : undefined;
    expect(service.cap_add).toEqual(added);
  });

  test.each(services.filter(([, { restart }]) => restart === 'unless-stopped'))(
    '%s has a health check, because it runs on',
    (_, { healthcheck }) => expect(healthcheck!.test[0]).toMatch(/^CMD(-SHELL)?$/),
  );

  test('publishes ports on this machine only, and only those that people and browsers open', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(published.map(([name]) => name)).toEqual(['api', 'temporal-ui', 'objects', 'grafana']);
    for (const [, port] of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

describe("Pressline's containers", () => {
  test.each(ours)('%s runs as another user than root on a read-only root', (_, service) => {
    expect(service.user).toBe('node');
    expect(service.read_only).toBe(true);
  });

  test.each(ours)('%s runs a command that exists', (_, { command }) => {
    expect(read('cli/program.ts')).toContain(`.command('${command}')`);
  });

  test.each(ours)('%s sets only variables that exist, with valid values', async (_, service) => {
    const environment = environmentOf(service);
    const standard = /^(AWS_ACCESS_KEY_ID|AWS_SECRET_ACCESS_KEY|OTEL_[A-Z_]+)$/;
    const unknown = Object.keys(environment).filter((name) => !(name in VARIABLES || standard.test(name)));
    expect(unknown).toEqual([]);
    const config = loadConfig(environment);
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL', 'S3_BUCKET'] as const)
      expect(config[name]).toBeDefined();
    await expect(loadSecrets(config, false)).resolves.toBeDefined();
    expect(config.PAYLOAD_KEYS).toBeDefined();
  });

  test('only migrate connects as the owner of the tables, and Pressline is not the root of the object store', () => {
    const users = ours.map(([name, service]) => {
      const { DATABASE_URL, MIGRATION_DATABASE_URL, AWS_SECRET_ACCESS_KEY } = environmentOf(service);
      expect(AWS_SECRET_ACCESS_KEY).not.toBe(SECRETS.S3_ROOT_SECRET_KEY);
      const userOf = (url?: string) => url && new URL(url).username;
      return [name, userOf(DATABASE_URL), userOf(MIGRATION_DATABASE_URL)];
    });
    expect(users).toEqual([
      ['migrate', 'pressline_app', 'pressline'],
      ['api', 'pressline_app', undefined],
      ['worker', 'pressline_app', undefined],
    ]);
  });

  test('are checked at the address of their probe', () => {
    const { PORT } = Object.fromEntries(
      [...read('Dockerfile').matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    const { METRICS_PORT } = file.services.worker!.environment!;
    const probe = (name: string) => /http:\/\/\S+?(?=')/.exec(file.services[name]!.healthcheck!.test.join(' '))![0];
    expect(probe('api')).toBe(`http://127.0.0.1:${PORT}/readyz`);
    expect(probe('worker')).toBe(`http://127.0.0.1:${METRICS_PORT}/readyz`);
  });

  test('are killed only after the time that they take to stop', () => {
    for (const [, service] of ours) {
      const config = loadConfig(environmentOf(service));
      const needed = shutdownDelayMs(config, true) + config.SHUTDOWN_GRACE + 5_000;
      expect(Number.parseInt(service.stop_grace_period!, 10) * 1_000).toBeGreaterThan(needed);
    }
  });
});

test('the image starts a program that the build makes', () => {
  const [, entry] = /^ENTRYPOINT \[.*"(dist\/[^"]+)\.js"\]$/m.exec(read('Dockerfile'))!;
  expect(existsSync(join(root, `${entry!.replace(/^dist\//, '')}.ts`))).toBe(true);
});
