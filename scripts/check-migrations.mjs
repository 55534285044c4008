/**
 * Checks that migrations build indexes on tables that hold many rows concurrently: CREATE INDEX blocks every write to its
 * table until it is done. Usage: node scripts/check-migrations.mjs [folder]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first version that these rules apply to. Earlier migrations ran before the rules existed. */
const SINCE = 43;
/** Tables that stay small: an index on them is built within milliseconds. */
const SMALL = new Set([
  'accounts',
  'api_keys',
  'attribute_values',
  'attributes',
  'exchange_rates',
  'partners',
  'product_models',
  'webhook_endpoints',
]);
const OUTSIDE_TRANSACTION = '--! no-transaction';
/** What a file outside a transaction may contain: statements that can be repeated after a kill. */
const REPEATABLE =
  /^(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS|ALTER TABLE \w+ VALIDATE CONSTRAINT) /;

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));
const folder = join(root, 'src/platform/migrations');

/** Returns the problems of one migration. */
function problemsOf(text) {
  const statements = text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');
  if (text.startsWith(`${OUTSIDE_TRANSACTION}\n`)) {
    return statements
      .filter((statement) => !REPEATABLE.test(statement))
      .map((statement) => `cannot be repeated outside a transaction: ${statement.slice(0, 60)}`);
  }
  const created = new Set(
    [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)].map(([, table]) => table),
  );
  return statements.flatMap((statement) => {
    const index = /^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*?\bON (\w+)/.exec(statement);
    if (index === null) return [];
    if (index[1]) return [`CONCURRENTLY needs the first line "${OUTSIDE_TRANSACTION}"`];
    if (created.has(index[2]) || SMALL.has(index[2])) return [];
    return [
      `an index on ${index[2]}, which may hold many rows: build it in a file of its own with "${OUTSIDE_TRANSACTION}" and CREATE INDEX CONCURRENTLY IF NOT EXISTS`,
    ];
  });
}

const problems = readdirSync(folder)
  .filter((file) => file.endsWith('.sql') && Number.parseInt(file, 10) >= SINCE)
  .sort()
  .flatMap((file) =>
    problemsOf(readFileSync(join(folder, file), 'utf8')).map((problem) => `${file}: ${problem}`),
  );
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
