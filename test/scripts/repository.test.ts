import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { projectRoot } from '../../src/platform/project-root';

/** The files that engineers and the hosting site read: workflows, templates, the changelog. */

const root = projectRoot();
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };
const commands = JSON.parse(read('scripts/commands.json')) as Record<string, Record<string, string>>;

function yaml(path: string) {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

interface Step {
  readonly run?: string;
}
interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<
    string,
    {
      readonly steps: readonly Step[];
      readonly needs?: string | string[];
      readonly permissions?: Record<string, string>;
      readonly strategy?: { readonly matrix: { readonly node?: string[]; readonly script?: string[] } };
      readonly 'timeout-minutes': number;
    }
  >;
}
const workflows = readdirSync(join(root, '.github/workflows'));
const stepsOf = (name: string) =>
  Object.values((yaml(`.github/workflows/${name}`) as Workflow).jobs).flatMap(({ steps }) => steps);

describe('the workflows', () => {
  test('run .ci/run on Node 22 and 24, and every check of package.json', () => {
    const { jobs } = yaml('.github/workflows/ci.yml') as Workflow;
    expect(jobs.test!.strategy!.matrix.node).toEqual(['22', '24']);
    expect(jobs.test!.steps.map(({ run }) => run)).toContain('.ci/run');
    const { check } = (yaml('.github/workflows/scheduled.yml') as Workflow).jobs;
    const scripts = check!.strategy!.matrix.script!;
    const runs = workflows.flatMap(stepsOf).map(({ run = '' }) => run);
    const named = [...scripts, ...runs].flatMap((text) => [...text.matchAll(/check -- ([\w-]+)/g)]);
    const checks = Object.keys(commands.check!).filter((name) => name !== 'default' && name !== 'fuzz');
    expect(new Set(named.map(([, name]) => name))).toEqual(new Set(checks));
    expect(scripts).toContain('bench -- rehearsal');
  });

  test('publish only in jobs that follow the tests, which may write nothing', () => {
    const { jobs } = yaml('.github/workflows/release.yml') as Workflow;
    const writing = Object.entries(jobs).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(jobs.test!.steps.map(({ run }) => run)).toContain('.ci/run');
    expect(writing.map(([name]) => name)).toEqual(['image', 'packages']);
    for (const [, { needs, steps }] of writing) {
      expect([needs].flat()).toContain('test');
      // Packages that are installed can run code.
      expect(steps.map(({ run = '' }) => run).join('\n')).not.toMatch(/npm (ci|install|run)\b/);
    }
  });

  test.each(workflows)('%s runs only scripts that exist, within a time limit', (name) => {
    for (const { run = '' } of stepsOf(name)) {
      for (const [, script, command] of run.matchAll(/npm run ([\w:-]+)(?: -- ([a-z][\w-]*))?/g)) {
        expect(manifest.scripts).toHaveProperty([script!]);
        if (command !== undefined) expect(commands).toHaveProperty([script!, command]);
      }
    }
    const { permissions, jobs } = yaml(`.github/workflows/${name}`) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });
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
  const { extends: presets } = JSON.parse(read('renovate.json')) as { extends: string[] };
  expect(presets).toContain('helpers:pinGitHubActionDigests');
  const { image } = JSON.parse(read('.devcontainer/devcontainer.json')) as { image: string };
  expect(image).toMatch(new RegExp(`:${read('.nvmrc').trim()}-`));
});

test('every path of CODEOWNERS exists', () => {
  const paths = [...read('.github/CODEOWNERS').matchAll(/^(\/\S+)\s+@\S+/gm)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the changelog has the version of the package', () => {
  expect(read('CHANGELOG.md')).toContain(manifest.version);
});
