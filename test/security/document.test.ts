import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Every test that SECURITY.md names exists, and SECURITY.md names every test of these folders. */

const root = projectRoot();
const document = readFileSync(join(root, 'SECURITY.md'), 'utf8');

/** The cells of the rows of the table. */
const rows = document
  .split('\n## Threats, defences and tests\n')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split('|').slice(1, -1));

const named = (shownBy: string) => [...shownBy.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name!);

test('every row of the table has four cells, and names existing tests', () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const row of rows) {
    const tests = named(row[2]!);
    expect([row[0], row.length, tests.length > 0]).toEqual([row[0], 4, true]);
    for (const name of tests) {
      const found = [join(root, 'test', name), join(root, name)].some(
        (path) =>
          ['.test.ts', '.slow.test.ts'].some((ending) => existsSync(path + ending)) ||
          (existsSync(path) && readdirSync(path).some((file) => file.endsWith('.test.ts'))),
      );
      expect([name, found]).toEqual([name, true]);
    }
  }
});

test('every test of test/security and test/fuzz is named', () => {
  const shown = new Set(rows.flatMap(([, , shownBy = '']) => named(shownBy)));
  const here = ['security', 'fuzz'].flatMap((folder) =>
    readdirSync(join(root, 'test', folder))
      .filter((file) => file.endsWith('.test.ts') && file !== 'document.test.ts')
      .map((file) => `${folder}/${file.replace(/(\.slow)?\.test\.ts$/, '')}`),
  );
  expect(here.filter((name) => !shown.has(name))).toEqual([]);
});

test('each of the ten risks of OWASP has two tests or more', () => {
  for (let number = 1; number <= 10; number += 1) {
    const tests = rows.filter(([, , , risk = '']) => risk.includes(`API${number} `)).flatMap((row) => named(row[2]!));
    expect([`API${number}`, tests.length > 1]).toEqual([`API${number}`, true]);
  }
});
