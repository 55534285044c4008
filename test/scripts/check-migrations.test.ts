import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

const root = mkdtempSync(join(tmpdir(), 'pressline-migrations-'));
const folder = join(root, 'src/platform/migrations');
afterAll(() => rmSync(root, { recursive: true }));

const nameOf = (number: number) => `${String(number).padStart(3, '0')}.do.part.sql`;
/** The migrations of a first release, and the name of the next one. */
const RELEASED = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [nameOf(n + 1), '-- Part.\n']));
const NEXT = '014.do.next.sql';

/** Runs the check over the released migrations and these. Returns what it prints. */
function check(migrations: Readonly<Record<string, string>>): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries({ ...RELEASED, ...migrations })) writeFileSync(join(folder, file), text);
  const { stderr } = spawnSync(process.execPath, [
    join(projectRoot(), 'scripts', 'checks', 'check-migrations.mjs'),
    root,
  ]);
  return String(stderr);
}

test.each([
  ['an index on a new table', 'CREATE TABLE labels (id int);\nCREATE INDEX labels_id ON labels (id);\n'],
  ['an index on a small table', 'CREATE INDEX partners_country ON partners (country);\n'],
])('%s passes', (_, text) => {
  expect(check({ [NEXT]: `-- Why.\n${text}` })).toBe('');
});

test('a concurrent build outside a transaction passes', () => {
  const text = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_x\n  ON orders (x);\n';
  expect(check({ [NEXT]: `--! no-transaction\n-- Why.\n${text}` })).toBe('');
});

test.each([
  [
    'an index on a large table',
    '-- Why.\nCREATE INDEX orders_x ON orders (x);\n',
    /an index on orders, .*CONCURRENTLY/,
  ],
  [
    'a unique index over several lines',
    '-- Why.\nCREATE UNIQUE INDEX outbox_x\n  ON outbox\n  (x) WHERE x > 0;\n',
    /an index on outbox/,
  ],
  [
    'a concurrent build in a transaction',
    '-- Why.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS orders_x ON orders (x);\n',
    /needs the first line/,
  ],
  [
    'a concurrent build that cannot be repeated',
    '--! no-transaction\n-- Why.\nCREATE INDEX CONCURRENTLY orders_x ON orders (x);\n',
    /cannot be repeated/,
  ],
  [
    'a change of rows outside a transaction',
    '--! no-transaction\n-- Why.\nUPDATE orders SET x = 1;\n',
    /cannot be repeated/,
  ],
  ['a migration without a comment on what it holds', 'ALTER TABLE partners ADD COLUMN x int;\n', /does not open/],
])('%s is refused', (_, text, problem) => {
  expect(check({ [NEXT]: text })).toMatch(problem);
});

test.each([
  ['a number that leaves a gap', '015.do.next.sql', /015.do.next.sql: its number must be 014/],
  ['a number that another migration has', '013.do.two.sql', /013.do.two.sql: its number must be 014/],
  ['a name of another form', '13.next.sql', /13.next.sql: not a name like/],
])('%s is refused', (_, file, problem) => {
  expect(check({ [file]: '-- Why.\n' })).toMatch(problem);
});
