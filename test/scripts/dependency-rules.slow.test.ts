import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** The rules of .dependency-cruiser.mjs, knip.json and biome.json, over small trees. */

const root = mkdtempSync(join(tmpdir(), 'pressline-dependencies-'));
afterAll(() => rmSync(root, { recursive: true }));

const installed = (name: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
  [`node_modules/${name}/index.js`]: 'exports.value = 1;',
});

const TREE = {
  'package.json': JSON.stringify({
    name: 'tree',
    dependencies: { '@temporalio/workflow': '1.0.0', postgres: '1.0.0' },
    optionalDependencies: { listr2: '1.0.0' },
    devDependencies: { supertest: '1.0.0' },
  }),
  'activities/order.ts': 'export type Activities = { fetch(): void }; export const fetch = 1;',
  'src/orders/run/store.ts': "import postgres from 'postgres'; export const store = postgres;",
  'src/orders/planning/plan.ts': 'export type Plan = 1;',
  'src/orders/domain/order.ts': 'export const order = 1; export interface Order { id: string }',
  'cli/demo.ts':
    "import type { value } from 'listr2'; export const load = (): Promise<typeof value> => import('listr2');",
  'workflows/order.ts': `
    import { value } from '@temporalio/workflow';
    import type { Activities } from '../activities/order';
    import { type Activities as Same } from '../activities/order';
    import { order } from '../src/orders/domain/order';
    export const x: [Activities, Same, typeof value, typeof order] = [] as never;`,
  'api/orders.ts': "export { store } from '../src/orders/run/store';",
  'console/main.ts': 'export const main = 1;',
  'test/orders.test.ts': "import { value } from 'supertest'; export const v = value;",
  ...Object.assign({}, ...['@temporalio/workflow', 'postgres', 'listr2', 'supertest', 'stray'].map(installed)),
} as Record<string, string>;

/** Writes a tree with these files, and runs a command of node_modules in it. */
function run(files: Record<string, string>, command: string, ...args: string[]) {
  rmSync(root, { recursive: true });
  for (const [path, text] of Object.entries({ ...TREE, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const name of ['.dependency-cruiser.mjs', 'knip.json', 'biome.json', 'pure-domain.grit'])
    cpSync(join(projectRoot(), name), join(root, name));
  const { status, stdout, stderr } = spawnSync(join(projectRoot(), 'node_modules/.bin', command), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  return { passes: status === 0, output: stdout + stderr };
}

const FOLDERS = ['cli', 'src', 'api', 'workflows', 'activities', 'console'];
const imports = (files: Record<string, string>) =>
  run(files, 'depcruise', '--config', '.dependency-cruiser.mjs', ...FOLDERS);

test('imports that the rules allow pass', () => {
  const { passes, output } = imports({
    'src/orders/run/a.ts': "import { b } from './b'; export const a = b;",
    'src/orders/run/b.ts': 'export const b = 1;',
  });
  expect(output).toContain('no dependency violations found');
  expect(passes).toBe(true);
});

/** What fails, the file with it, and the rule. All files are in one tree, because each run of the tool takes half a second of CPU. */
const FAULTS: readonly (readonly [string, string, string, string])[] = [
  [
    'a workflow that imports an activity',
    'workflows/x1.ts',
    "import { fetch } from '../activities/order'; export const x = fetch;",
    'workflows are deterministic',
  ],
  [
    'a workflow that exports an activity on',
    'workflows/x2.ts',
    "export { fetch } from '../activities/order';",
    'workflows are deterministic',
  ],
  [
    'a workflow that imports a Node module',
    'workflows/x3.ts',
    "import { readFileSync } from 'fs'; export const x = readFileSync;",
    'workflows are deterministic',
  ],
  [
    'a workflow that loads a store',
    'workflows/x4.ts',
    "export const s = () => import('../src/orders/run/store');",
    'workflows are deterministic',
  ],
  [
    'a domain module with SQL',
    'src/orders/domain/x5.ts',
    "import postgres from 'postgres'; export const x = postgres;",
    'domain is pure',
  ],
  [
    'a domain module that imports a store',
    'src/orders/domain/x6.ts',
    "import { store } from '../run/store'; export const x = store;",
    'domain is pure',
  ],
  [
    'src that imports an activity type',
    'src/orders/run/x7.ts',
    "import type { Activities } from '../../../activities/order'; export type X = Activities;",
    'src stands below',
  ],
  [
    'the platform that knows a feature',
    'src/platform/x8.ts',
    "import type { Order } from '../orders/domain/order'; export type X = Order;",
    'features above platform',
  ],
  [
    'a feature that imports a feature above it',
    'src/partners/x9.ts',
    "import type { Order } from '../orders/domain/order'; export type X = Order;",
    'features above partners',
  ],
  [
    'a feature that the list does not name',
    'src/gifts/x10.ts',
    "import { store } from '../orders/run/store'; export const x = store;",
    'every feature has a place',
  ],
  ['an import of nothing', 'api/x11.ts', "import { gone } from './gone'; export const x = gone;", 'imports exist'],
  [
    'an import of a package that is not declared',
    'api/x12.ts',
    "import { value } from 'stray'; export const x = value;",
    'packages are declared',
  ],
  [
    'a shipped import of a development dependency',
    'src/orders/run/x13.ts',
    "import { value } from 'supertest'; export const x = value;",
    'shipped code has dependencies',
  ],
  [
    'an optional dependency that loads with its module',
    'cli/x14.ts',
    "import { value } from 'listr2'; export const x = value;",
    'optional packages load late',
  ],
  [
    'a module that imports a module which imports it',
    'src/orders/run/c.ts',
    "import { d } from './d'; export const c = d;",
    'no cycles',
  ],
  [
    'a module of src that imports a module which imports a type of it',
    'src/orders/run/e.ts',
    "import { f } from './f'; export const e = f; export type E = 1;",
    'no cycles of types',
  ],
  [
    'a folder of orders that imports a type of a folder above it',
    'src/orders/run/x15.ts',
    "import type { Plan } from '../planning/plan'; export type X = Plan;",
    'folders above run of orders',
  ],
  [
    'a folder of orders that the list does not name',
    'src/orders/gifts/x16.ts',
    "import { store } from '../run/store'; export const x = store;",
    'every folder of orders has a place',
  ],
  [
    'a module of the console that imports a module which imports a type of it',
    'console/a.ts',
    "import { b } from './b'; export const a = b; export type A = 1;",
    'no cycles of types',
  ],
];

describe('an import that the rules forbid', () => {
  let faulty: ReturnType<typeof run>;

  beforeAll(() => {
    faulty = imports({
      ...Object.fromEntries(FAULTS.map(([, path, text]) => [path, text])),
      'src/orders/run/d.ts': "import { c } from './c'; export const d = () => c;",
      'src/orders/run/f.ts': "import type { E } from './e'; export const f: E = 1;",
      'console/b.ts': "import type { A } from './a'; export const b: A = 1;",
    });
  });

  test.each(FAULTS)('%s fails', (_, path, _text, rule) => {
    expect(faulty.output).toContain(`${rule}: ${path}`);
    expect(faulty.passes).toBe(false);
  });
});

describe('a dependency of package.json', () => {
  const withDependency = (kind: string, name: string) => {
    const manifest = JSON.parse(TREE['package.json']!) as Record<string, Record<string, string>>;
    return {
      'package.json': JSON.stringify({ ...manifest, [kind]: { ...manifest[kind], [name]: '1.0.0' } }),
    };
  };

  test('that is imported for what it is declared passes', () => {
    const { passes, output } = run({}, 'knip', '--dependencies');
    expect({ passes, output }).toMatchObject({ passes: true });
    expect(run({}, 'knip', '--dependencies', '--production').passes).toBe(true);
  });

  test('that nothing imports fails', () => {
    const { passes, output } = run(withDependency('devDependencies', 'stray'), 'knip', '--dependencies');
    expect(output).toContain('stray');
    expect(passes).toBe(false);
  });

  test('that ships and only tests import fails', () => {
    const files = { ...withDependency('dependencies', 'stray'), 'test/x.test.ts': "import 'stray';" };
    const { passes, output } = run(files, 'knip', '--dependencies', '--production');
    expect(output).toContain('stray');
    expect(passes).toBe(false);
  });
});

test.each(['Date.now()', 'new Date()', 'Math.random()'])('a domain module that calls %s fails', (call) => {
  const file = 'src/orders/domain/x.ts';
  const lint = (value: string) =>
    run({ [file]: `export const x = () => ${value};\n` }, 'biome', 'lint', '--vcs-enabled=false', file);
  expect(lint(call).output).toContain('Domain modules are pure');
  expect(lint(call).passes).toBe(false);
  expect(lint('new Date(0)').passes).toBe(true);
});
