import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

// Starts processes.
jest.setTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'pressline-migrations-'));
const folder = join(root, 'src/platform/migrations');
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the check over one migration. Returns what it prints. */
function check(text: string, file = '900.do.new.sql'): string {
  writeFileSync(join(folder, file), text);
  const { stderr } = spawnSync(process.execPath, [
    join(projectRoot(), 'scripts', 'check-migrations.mjs'),
    root,
  ]);
  rmSync(join(folder, file));
  return String(stderr);
}

test.each([
  ['an index on a new table', 'CREATE TABLE labels (id int);\nCREATE INDEX labels_id ON labels (id);\n'],
  ['an index on a small table', 'CREATE INDEX partners_country ON partners (country);\n'],
  [
    'a concurrent build outside a transaction',
    '--! no-transaction\n-- Why.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS orders_x\n  ON orders (x);\n',
  ],
])('%s passes', (_, text) => {
  expect(check(text)).toBe('');
});

test.each([
  [
    'an index on a large table',
    'CREATE INDEX orders_x ON orders (x);\n',
    /an index on orders, .*CONCURRENTLY/,
  ],
  [
    'a unique index over several lines',
    'CREATE UNIQUE INDEX outbox_x\n  ON outbox\n  (x) WHERE x > 0;\n',
    /an index on outbox/,
  ],
  [
    'a concurrent build in a transaction',
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_x ON orders (x);\n',
    /needs the first line/,
  ],
  [
    'a concurrent build that cannot be repeated',
    '--! no-transaction\nCREATE INDEX CONCURRENTLY orders_x ON orders (x);\n',
    /cannot be repeated/,
  ],
  [
    'a change of rows outside a transaction',
    '--! no-transaction\nUPDATE orders SET x = 1;\n',
    /cannot be repeated/,
  ],
])('%s is refused', (_, text, problem) => {
  expect(check(text)).toMatch(problem);
});

test('migrations of before the rules are accepted', () => {
  expect(check('CREATE INDEX orders_x ON orders (x);\n', '031.do.old.sql')).toBe('');
});
