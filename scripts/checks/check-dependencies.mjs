/**
 * Checks the imports of the sources against scripts/checks/dependency-rules.mjs, and that no modules import each other in a
 * cycle. Usage: node scripts/checks/check-dependencies.mjs [folder]
 */
import { existsSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_TYPE_CYCLES, PURE, ROOTS, RULES } from './dependency-rules.mjs';
import { importsOf, packageOf, parse, sourceFiles, walk } from './imports.mjs';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'));

/** Returns the calls that read the clock or a random number. */
function impureCallsOf(ast) {
  const calls = new Set();
  const is = (node, object, property) =>
    node?.type === 'MemberExpression' && node.object.value === object && node.property.value === property;
  walk(ast.body, (node) => {
    if (node.type === 'NewExpression' && node.callee.value === 'Date' && !node.arguments?.length)
      calls.add('new Date()');
    if (node.type !== 'CallExpression') return;
    if (is(node.callee, 'Date', 'now')) calls.add('Date.now()');
    if (is(node.callee, 'Math', 'random')) calls.add('Math.random()');
  });
  return calls;
}

/** Returns what a specifier names: a path from the root, `node:<module>` or `npm:<package>`. Undefined when the file does not exist. */
function target(from, specifier) {
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  if (!specifier.startsWith('.')) return `npm:${packageOf(specifier)}`;
  const base = posix.join(posix.dirname(from), specifier);
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, base.replace(/\.js$/, '.ts')].find(
    (path) => {
      const absolute = join(root, path);
      return existsSync(absolute) && statSync(absolute).isFile();
    },
  );
}

/** Returns one import cycle for each group of modules that import each other. Type-only imports count in the console. */
function cyclesOf(graph) {
  const state = new Map();
  const path = [];
  const found = [];
  const follow = (file) => {
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') found.push([...path.slice(path.indexOf(next)), next]);
      else if (!state.has(next)) follow(next);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) follow(file);
  return found;
}

const files = ROOTS.flatMap((folder) => sourceFiles(root, folder)).filter((path) => /\.tsx?$/.test(path));

const problems = [];
const graph = new Map();
for (const file of files) {
  const ast = parse(root, file);
  graph.set(file, []);
  for (const { specifier, typeOnly } of importsOf(ast)) {
    const to = target(file, specifier);
    if (to === undefined) {
      problems.push(`${file} imports ${specifier}, which does not exist`);
      continue;
    }
    if ((!typeOnly || NO_TYPE_CYCLES.test(file)) && /\.tsx?$/.test(to)) graph.get(file).push(to);
    for (const { name, why, from, except, never, only, typesToo } of RULES) {
      if (!from.test(file) || except?.test(file) || (typeOnly && !typesToo)) continue;
      if (never?.test(to) || (only && !only.test(to)))
        problems.push(`${file} imports ${to}\n    ${name}: ${why}`);
    }
  }
  if (PURE.test(file)) {
    for (const call of impureCallsOf(ast))
      problems.push(
        `${file} calls ${call}\n    domain is pure: it takes times and random values as arguments`,
      );
  }
}
for (const cycle of cyclesOf(graph))
  problems.push(`modules import each other in a cycle:\n    ${cycle.join('\n    -> ')}`);

for (const problem of problems) console.error(`  ${problem}`);
console.log(
  problems.length === 0
    ? `The dependency rules hold (${files.length} files).`
    : `${problems.length} imports break the dependency rules (scripts/checks/dependency-rules.mjs).`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
