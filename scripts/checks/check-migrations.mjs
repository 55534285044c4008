/**
 * Checks the migrations: their numbers are consecutive, each opens with a comment on what it holds, and indexes on tables that
 * hold many rows are built concurrently, because CREATE INDEX blocks every write to its table until it is done.
 * Usage: node scripts/checks/check-migrations.mjs [folder]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
/** Migrations of the first release. They create the tables, so their databases are empty. */
const FIRST_RELEASE = 13;
const FILE = /^(\d{3})\.do\.[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/;
const OUTSIDE_TRANSACTION = '--! no-transaction';
/** What a file outside a transaction may contain: statements that can be repeated after a kill. */
const REPEATABLE =
  /^(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS|ALTER TABLE \w+ VALIDATE CONSTRAINT) /;

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'));
const folder = join(root, 'src/platform/migrations');

/** Returns the problems of the file names: a number that is missing, given twice or not of three digits. */
function problemsOfNames(files) {
  return files.flatMap((file, index) => {
    const number = FILE.exec(file)?.[1];
    if (number === undefined) return [`${file}: not a name like 013.do.order-tags.sql`];
    const next = String(index + 1).padStart(3, '0');
    return number === next ? [] : [`${file}: its number must be ${next}, the next one`];
  });
}

/** Returns the statements of a migration. Each one ends with a semicolon at the end of a line. */
const statementsOf = (text) =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement !== '');

/** Returns the problems of the indexes of one migration. */
function problemsOfIndexes(text) {
  if (text.startsWith(`${OUTSIDE_TRANSACTION}\n`)) {
    return statementsOf(text)
      .filter((statement) => !REPEATABLE.test(statement))
      .map((statement) => `cannot be repeated outside a transaction: ${statement.slice(0, 60)}`);
  }
  const created = new Set(
    [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gm)].map(([, table]) => table),
  );
  return statementsOf(text).flatMap((statement) => {
    const index = /^CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?.*?\bON (\w+)/.exec(statement);
    if (index === null) return [];
    if (index[1]) return [`CONCURRENTLY needs the first line "${OUTSIDE_TRANSACTION}"`];
    if (created.has(index[2]) || SMALL.has(index[2])) return [];
    return [
      `an index on ${index[2]}, which may hold many rows: build it in a file of its own with "${OUTSIDE_TRANSACTION}" and CREATE INDEX CONCURRENTLY IF NOT EXISTS`,
    ];
  });
}

function problemsOf(file) {
  const text = readFileSync(join(folder, file), 'utf8');
  const withoutMarker = text.replace(`${OUTSIDE_TRANSACTION}\n`, '');
  return [
    ...(withoutMarker.startsWith('-- ') ? [] : ['does not open with a comment on what it holds']),
    ...(Number.parseInt(file, 10) <= FIRST_RELEASE ? [] : problemsOfIndexes(text)),
  ].map((problem) => `${file}: ${problem}`);
}

const files = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .sort();
const problems = [...problemsOfNames(files), ...files.flatMap(problemsOf)];
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
