import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** Every test that SECURITY.md names exists, and SECURITY.md names every test of these folders. */

const root = projectRoot();
const document = readFileSync(join(root, 'SECURITY.md'), 'utf8');

/** Returns the cells of the rows of the table in a section. */
const tableOf = (title: string) =>
  document
    .split(`\n## ${title}\n`)[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .filter((line) => !/^\| -+ \|/.test(line))
    .map((line) => line.split(' | '));

const rows = tableOf('Defences and their tests');

const isTest = (name: string) =>
  ['.test.ts', '.slow.test.ts'].some((ending) => existsSync(join(root, 'test', name + ending)));
const named = (shownBy: string) => [...shownBy.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name!);

test.each([
  ['Threats by actor', 4],
  ['Defences and their tests', 3],
])('every row of the table %s has %i cells, and the last names existing tests', (title, cells) => {
  const table = tableOf(title);
  expect(table.length).toBeGreaterThan(15);
  for (const row of table) {
    const tests = named(row.at(-1)!);
    expect([row[0], row.length, tests.length > 0]).toEqual([row[0], cells, true]);
    for (const name of tests) {
      const found =
        isTest(name) ||
        (existsSync(join(root, 'test', name)) &&
          readdirSync(join(root, 'test', name)).some((file) => file.endsWith('.test.ts')));
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

test('the OWASP table has a row for each of the ten risks, and every row names existing tests', () => {
  const [, owasp] = document.split('## OWASP API Security Top 10 (2023)');
  const risks = [...owasp!.split('\n## ')[0]!.matchAll(/^\| (API\d+) .* \| (.*) \|$/gm)];
  expect(risks.map(([, risk]) => risk)).toEqual(Array.from({ length: 10 }, (_, at) => `API${at + 1}`));
  for (const [, risk, shownBy] of risks) {
    const tests = named(shownBy!);
    expect([risk, tests.length > 1]).toEqual([risk, true]);
    const missing = tests.filter((name) => !isTest(name));
    expect([risk, missing]).toEqual([risk, []]);
  }
});

test('links of the document lead to existing files', () => {
  for (const [, path] of document.matchAll(/\]\(([\w/.-]+)(?:#[\w-]+)?\)/g)) {
    expect([path, existsSync(join(root, path!))]).toEqual([path, true]);
  }
});
