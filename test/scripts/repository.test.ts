import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { projectRoot } from '../../src/platform/project-root';

/** The files that engineers and the hosting site read: workflows, templates, .env.example, the changelog. */

// Starts a process.
jest.setTimeout(60_000);

const root = projectRoot();
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };

function yaml(path: string) {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<
    string,
    {
      readonly steps: readonly Step[];
      readonly strategy?: { readonly matrix: { readonly node: string[] } };
      readonly 'timeout-minutes': number;
    }
  >;
}
const workflows = readdirSync(join(root, '.github/workflows'));
const stepsOf = (name: string) =>
  Object.values((yaml(`.github/workflows/${name}`) as Workflow).jobs).flatMap(({ steps }) => steps);

test('.env.example has every variable of the configuration table with its default', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/env-example.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

describe('the workflows', () => {
  test('are a test on Node 22 and 24, the checks of Compose file and chart, the image, and a release', () => {
    expect(workflows.sort()).toEqual(['ci.yml', 'release.yml']);
    const { jobs } = yaml('.github/workflows/ci.yml') as Workflow;
    expect(jobs.test!.strategy!.matrix.node).toEqual(['22', '24']);
    const commands = stepsOf('ci.yml').map(({ run, uses }) => run ?? uses!);
    for (const command of ['npm test', 'npm run check:compose', 'npm run check:helm'])
      expect(commands).toContain(command);
    expect(commands.some((command) => command.startsWith('docker/build-push-action@'))).toBe(true);
  });

  test.each(workflows)(
    '%s runs only scripts that exist, from actions of a fixed version, within a time limit',
    (name) => {
      for (const { run = '', uses } of stepsOf(name)) {
        for (const [, script] of run.matchAll(/npm run ([\w:-]+)/g))
          expect(manifest.scripts).toHaveProperty([script!]);
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
      }
      const { permissions, jobs } = yaml(`.github/workflows/${name}`) as Workflow;
      expect(permissions).toEqual({ contents: 'read' });
      for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
    },
  );
});

test('the forms for issues parse, and send vulnerabilities elsewhere', () => {
  for (const name of ['bug', 'feature']) {
    const { body } = yaml(`.github/ISSUE_TEMPLATE/${name}.yml`) as { body: { id?: string; type: string }[] };
    expect(body.length).toBeGreaterThan(1);
  }
  expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toContain('SECURITY.md');
  expect(existsSync(join(root, '.github/pull_request_template.md'))).toBe(true);
});

test('the update rules and the development container are valid, and use the Node of .nvmrc', () => {
  const { packageRules } = JSON.parse(read('renovate.json')) as { packageRules: object[] };
  expect(packageRules.length).toBeGreaterThan(3);
  const { image } = JSON.parse(read('.devcontainer/devcontainer.json')) as { image: string };
  expect(image).toMatch(new RegExp(`:${read('.nvmrc').trim()}-`));
});

test('the changelog has the version of the package', () => {
  expect(read('CHANGELOG.md')).toContain(manifest.version);
});
