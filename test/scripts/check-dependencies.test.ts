import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

// Starts processes.
jest.setTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'pressline-dependencies-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the check over a tree of these files. */
function check(files: Record<string, string>): { passes: boolean; output: string } {
  rmSync(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot(), 'scripts', 'checks', 'check-dependencies.mjs'), root],
    { encoding: 'utf8' },
  );
  return { passes: status === 0, output: stdout + stderr };
}

const MODULES = {
  'activities/order.ts': 'export type Activities = { fetch(): void }; export const fetch = 1;',
  'src/orders/store.ts': 'export const store = 1;',
  'src/orders/domain/order.ts': 'export const order = 1; export interface Order { id: string }',
};

test('what the rules allow passes', () => {
  const { passes, output } = check({
    ...MODULES,
    'workflows/order.ts': `
      import { proxyActivities } from '@temporalio/workflow';
      import type { Activities } from '../activities/order';
      import { type Activities as Same } from '../activities/order';
      import { order } from '../src/orders/domain/order';
      export const x: [Activities, Same, typeof proxyActivities, typeof order] = [] as never;`,
    'src/orders/domain/age.ts': 'export const age = (now: Date) => new Date(now).getTime();',
    'api/orders.ts': "export { store } from '../src/orders/store';",
  });
  expect(output).toContain('The dependency rules hold (6 files)');
  expect(passes).toBe(true);
});

test.each([
  [
    'a workflow that imports an activity',
    'workflows/order.ts',
    "import { fetch } from '../activities/order';",
    'workflows are deterministic',
  ],
  [
    'a workflow that exports an activity on',
    'workflows/order.ts',
    "export { fetch } from '../activities/order';",
    'workflows are deterministic',
  ],
  [
    'a workflow that imports a Node module',
    'workflows/order.ts',
    "import { readFileSync } from 'fs';",
    'workflows are deterministic',
  ],
  [
    'a workflow that loads a store',
    'workflows/order.ts',
    "export const s = () => import('../src/orders/store');",
    'workflows are deterministic',
  ],
  [
    'a domain module with SQL',
    'src/orders/domain/x.ts',
    "import postgres from 'postgres';",
    'domain is pure',
  ],
  [
    'a domain module that imports a store',
    'src/orders/domain/x.ts',
    "import { store } from '../store';",
    'domain is pure',
  ],
  [
    'a domain module with a clock',
    'src/orders/domain/x.ts',
    'export const now = () => Date.now();',
    'calls Date.now()',
  ],
  [
    'src that imports an activity type',
    'src/orders/x.ts',
    "import type { Activities } from '../../activities/order';",
    'src stands below',
  ],
  [
    'the platform that knows a feature',
    'src/platform/x.ts',
    "import type { Order } from '../orders/domain/order';",
    'features above platform',
  ],
  [
    'a feature that imports a feature above it',
    'src/partners/x.ts',
    "import type { Order } from '../orders/domain/order';",
    'features above partners',
  ],
  [
    'a feature that the list does not name',
    'src/gifts/x.ts',
    "import '../orders/store';",
    'every feature has a place',
  ],
  [
    'a sandbox that reads the database',
    'sandbox/x.ts',
    "import { store } from '../src/orders/store';",
    'sandbox is outside',
  ],
  ['an import of nothing', 'api/x.ts', "import { gone } from './gone';", 'which does not exist'],
])('%s fails', (_, path, text, words) => {
  const { passes, output } = check({ ...MODULES, [path]: text });
  expect(output).toContain(words);
  expect(output).toContain(path);
  expect(passes).toBe(false);
});

test('modules that import each other in a cycle fail, unless by types only', () => {
  const there = { 'src/orders/a.ts': "import { b } from './b'; export const a = b; export type A = 1;" };
  const circle = check({ ...there, 'src/orders/b.ts': "import { a } from './a'; export const b = () => a;" });
  expect(circle.output).toMatch(/a\.ts\s+-> src\/orders\/b\.ts\s+-> src\/orders\/a\.ts/);
  expect(circle.passes).toBe(false);
  expect(
    check({ ...there, 'src/orders/b.ts': "import type { A } from './a'; export const b: A = 1;" }).passes,
  ).toBe(true);
});
