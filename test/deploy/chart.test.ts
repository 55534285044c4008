import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { loadSecrets } from '../../cli/secrets';
import { loadConfig, VARIABLES } from '../../src/platform/config';
import { projectRoot } from '../../src/platform/project-root';

/** Values and templates of the Helm chart, without rendering it. `npm run check -- helm` renders it with Helm. */

const root = projectRoot();
const chart = join(root, 'deploy/helm/pressline');
const read = (path: string) => readFileSync(join(chart, path), 'utf8');

/** Parses YAML. Duplicate keys are errors. */
function yaml(text: string) {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw problem;
  return document.toJS();
}

interface Values {
  readonly [key: string]: unknown;
  readonly config: Record<string, string>;
  readonly secret: { readonly name: string; readonly keys: string[]; readonly optional: string[] };
  readonly shutdown: { readonly delaySeconds: number; readonly graceSeconds: number };
  readonly ingress: { readonly enabled: boolean };
  readonly networkPolicy: { readonly enabled: boolean };
  readonly monitoring: Record<'serviceMonitor' | 'alerts', { readonly enabled: boolean }>;
  readonly api: { readonly autoscaling: { readonly enabled: boolean } };
  readonly worker: { readonly autoscaling: { readonly enabled: boolean } };
}
/** Lays values over the defaults, as Helm does: objects are merged, everything else is replaced. */
function merged(below: unknown, above: unknown): unknown {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(below) || !isObject(above)) return above ?? below;
  return Object.fromEntries(
    [...new Set([...Object.keys(below), ...Object.keys(above)])].map((name) => [
      name,
      merged(below[name], above[name]),
    ]),
  );
}

const defaults: Values = yaml(read('values.yaml'));
const ci: Partial<Values> = yaml(read('ci/values.yaml'));
const templates = readdirSync(join(chart, 'templates')).map((name) => read(`templates/${name}`));
const helpers = read('templates/_helpers.tpl');

/** Variables that the templates set by themselves. */
const setByTemplates = [
  ...helpers.matchAll(/^([A-Z][A-Z0-9_]+): /gm),
  ...templates.join('\n').matchAll(/- name: ([A-Z][A-Z0-9_]+)$/gm),
].map(([, name]) => name!);

describe('the values', () => {
  test.each([
    ['values.yaml', defaults],
    ['ci/values.yaml', merged(defaults, ci) as Values],
  ])('%s has the form of values.schema.json', (_, values) => {
    const schema = z.fromJSONSchema(JSON.parse(read('values.schema.json')));
    expect(schema.safeParse(values).error?.issues ?? []).toEqual([]);
    expect(schema.safeParse({ ...values, apii: {} }).success).toBe(false);
  });

  test('the schema describes every default', () => {
    const { properties } = JSON.parse(read('values.schema.json')) as {
      properties: Record<string, { properties?: Record<string, unknown> }>;
    };
    for (const [name, value] of Object.entries(defaults)) {
      if (name === 'config' || Array.isArray(value)) continue;
      expect(Object.keys(properties[name]!.properties!).sort()).toEqual(Object.keys(value as object).sort());
    }
  });

  test('name only variables that Pressline or its libraries read', () => {
    const { config, secret } = defaults;
    const names = [
      ...Object.keys(config),
      ...Object.keys(ci.config!),
      ...secret.keys,
      ...secret.optional,
      ...setByTemplates,
    ];
    expect(names.length).toBeGreaterThan(15);
    const standard = /^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)|NODE_EXTRA_CA_CERTS)$/;
    expect(names.filter((name) => !(name in VARIABLES || standard.test(name)))).toEqual([]);
  });

  test('set no variable twice', () => {
    const { config, secret } = defaults;
    const names = [...Object.keys(config), ...secret.keys, ...secret.optional, ...new Set(setByTemplates)];
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('with the required keys of the Secret, an API or worker process starts', async () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    const secret: Record<string, string> = {
      DATABASE_URL: 'postgresql://pressline_app:secret@postgres:5432/pressline',
      LINK_SECRET: 'a'.repeat(32),
      SECRET_KEYS: `first:${key}`,
      CARRIER_WEBHOOK_SECRETS: `tern_parcel:whsec_${key}`,
    };
    expect(defaults.secret.keys.sort()).toEqual(Object.keys(secret).sort());
    const { delaySeconds, graceSeconds } = defaults.shutdown;
    const config = loadConfig({
      ...defaults.config,
      ...ci.config,
      ...secret,
      METRICS_HOST: '0.0.0.0',
      METRICS_PORT: '9464',
      SHUTDOWN_DELAY: `${delaySeconds}s`,
      SHUTDOWN_GRACE: `${graceSeconds}s`,
    });
    for (const name of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'PUBLIC_URL', 'S3_BUCKET'] as const)
      expect(config[name]).toBeDefined();
    await expect(loadSecrets(config, false)).resolves.toBeDefined();
  });

  test('leave ingress, autoscaling and monitoring off, and network policies on', () => {
    const { ingress, networkPolicy, monitoring, api, worker } = defaults;
    expect(networkPolicy.enabled).toBe(true);
    for (const { enabled } of [
      ingress,
      monitoring.serviceMonitor,
      monitoring.alerts,
      api.autoscaling,
      worker.autoscaling,
    ])
      expect(enabled).toBe(false);
  });

  test('limit outgoing traffic by default, and never admit link-local addresses', () => {
    const policy = read('templates/network-policies.yaml');
    expect(policy).toContain('policyTypes: [Ingress, Egress]');
    const { egress } = defaults.networkPolicy as unknown as {
      egress: { to: { ipBlock: { cidr: string; except: string[] } }[]; ports: { port: number }[] }[];
    };
    expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([5432, 7233]);
    for (const { ipBlock } of egress.flatMap(({ to }) => to))
      expect(ipBlock.except).toEqual([ipBlock.cidr === '::/0' ? 'fe80::/10' : '169.254.0.0/16']);
  });

  test('require the proxies of an ingress', () => {
    expect(read('templates/ingress.yaml')).toMatch(/required ".*TRUSTED_PROXIES.*" \.Values\.config\.TRUSTED_PROXIES/);
  });

  test('mount authorities into every pod', () => {
    for (const name of ['api-deployment', 'worker-deployment', 'migrate-job'])
      for (const part of ['caMount', 'caVolume']) expect(read(`templates/${name}.yaml`)).toContain(`pressline.${part}`);
  });

  test('keep secrets out of the ConfigMap', () => {
    const secret = /SECRET|KEY|PASSWORD|DATABASE_URL/;
    expect(Object.keys({ ...defaults.config, ...ci.config }).filter((name) => secret.test(name))).toEqual([]);
  });
});

describe('the templates', () => {
  test('the probes ask the ports and paths that the processes have', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    const [, port] = /\bPORT=(\d+)/.exec(dockerfile)!;
    expect(read('templates/api-deployment.yaml')).toContain(`name: http, containerPort: ${port} }`);
    const [, metricsPort] = /METRICS_PORT: '(\d+)'/.exec(helpers)!;
    for (const name of ['api-deployment', 'worker-deployment', 'services'])
      expect(read(`templates/${name}.yaml`)).toMatch(
        new RegExp(`name: metrics, (containerPort|port): ${metricsPort}\\b`),
      );
    const paths = [...templates.join('\n').matchAll(/httpGet: \{ path: (\S+),/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/livez', '/readyz']));
  });

  test('a stopping API leaves the load balancer before it stops: two failed probes fit into SHUTDOWN_DELAY', () => {
    const [, probe] = /readinessProbe:([\s\S]*?)securityContext:/.exec(read('templates/api-deployment.yaml'))!;
    const secondsOf = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(probe!)![1]);
    expect(defaults.shutdown.delaySeconds).toBeGreaterThan(secondsOf('periodSeconds') * secondsOf('failureThreshold'));
  });

  test('run commands that exist', () => {
    const program = readFileSync(join(root, 'cli/program.ts'), 'utf8');
    const commands = [...templates.join('\n').matchAll(/args: \[(\w+)\]/g)].map(([, command]) => command);
    expect(new Set(commands)).toEqual(new Set(['api', 'migrate', 'worker']));
    for (const command of commands) expect(program).toContain(`.command('${command}')`);
  });

  test('every pod runs without root, on a read-only root, without capabilities and without a token', () => {
    for (const name of ['api-deployment', 'worker-deployment', 'migrate-job']) {
      const text = read(`templates/${name}.yaml`);
      for (const part of ['podSecurityContext', 'containerSecurityContext'])
        expect(text).toContain(`securityContext: {{- include "pressline.${part}" .`);
      expect(text).toContain('automountServiceAccountToken: false');
    }
    for (const line of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'drop: [ALL]', 'type: RuntimeDefault'])
      expect(helpers).toContain(line);
  });

  test('use only values that exist', () => {
    const used = new Set(
      [...templates.join('\n').matchAll(/\.Values((?:\.[A-Za-z_]+)+)/g)].map(([, path]) => path!.slice(1)),
    );
    expect(used.size).toBeGreaterThan(20);
    const missing = [...used].filter((path) => {
      let value: unknown = defaults;
      for (const step of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[step];
      return value === undefined;
    });
    expect(missing).toEqual([]);
  });
});

test('the chart has the version of the package, and the alert rules of deploy/prometheus', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const { version: chartVersion, appVersion } = yaml(read('Chart.yaml'));
  expect([chartVersion, appVersion]).toEqual([version, version]);
  expect(read('files/alerts.yml')).toBe(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8'));
});
