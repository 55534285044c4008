/**
 * Checks the imports of the sources against scripts/dependency-rules.mjs, and that no modules import each other in a
 * circle. Parsed with swc: TypeScript 7 has no compiler API, and the dependency checkers that parse with swc do not tell
 * a type-only import, which the rules for workflows and domain modules rest on, from another.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';
import { PURE, ROOTS, RULES } from './dependency-rules.mjs';

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..'));

/** Every import of a parsed module: what it names and whether only its types are used. */
function importsOf(ast) {
  const found = [];
  const impure = [];
  const add = (source, typeOnly) => source && found.push({ specifier: source.value, typeOnly });
  const allTypes = (node) =>
    node.typeOnly ||
    (node.specifiers?.length > 0 && node.specifiers.every((specifier) => specifier.isTypeOnly));
  const named = (node, object, property) =>
    node?.type === 'MemberExpression' && node.object.value === object && node.property.value === property;
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        add(node.source, allTypes(node));
        break;
      case 'TsImportType':
        add(node.argument, true);
        break;
      case 'TsExternalModuleReference':
        add(node.expression, false);
        break;
      case 'NewExpression':
        if (node.callee.value === 'Date' && !node.arguments?.length) impure.push('new Date()');
        break;
      case 'CallExpression': {
        const [first] = node.arguments;
        const loads = node.callee.type === 'Import' || node.callee.value === 'require';
        if (loads && first?.expression.type === 'StringLiteral') add(first.expression, false);
        if (named(node.callee, 'Date', 'now')) impure.push('Date.now()');
        if (named(node.callee, 'Math', 'random')) impure.push('Math.random()');
        break;
      }
    }
    for (const value of Object.values(node)) visit(value);
  };
  visit(ast.body);
  return { found, impure };
}

/** Path from the root, `node:` or `npm:` target; undefined when there is no such file. */
function target(from, specifier) {
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  if (!specifier.startsWith('.')) return `npm:${/^(@[^/]+\/)?[^/]+/.exec(specifier)[0]}`;
  const base = posix.join(posix.dirname(from), specifier);
  return [base, `${base}.ts`, `${base}/index.ts`, base.replace(/\.js$/, '.ts')].find((path) => {
    const absolute = join(root, path);
    return existsSync(absolute) && statSync(absolute).isFile();
  });
}

/** One circle of value imports through each group of modules that reach one another. */
function circles(graph) {
  const state = new Map();
  const path = [];
  const found = [];
  const walk = (file) => {
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      if (state.get(next) === 'open') found.push([...path.slice(path.indexOf(next)), next]);
      else if (!state.has(next)) walk(next);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) walk(file);
  return found;
}

const files = ROOTS.filter((dir) => existsSync(join(root, dir))).flatMap((dir) =>
  readdirSync(join(root, dir), { recursive: true })
    .map((name) => relative(root, join(root, dir, name)).replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts')),
);

const problems = [];
const graph = new Map();
for (const file of files.sort()) {
  const ast = parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript', target: 'es2024' });
  const { found, impure } = importsOf(ast);
  graph.set(file, []);
  for (const { specifier, typeOnly } of found) {
    const to = target(file, specifier);
    if (to === undefined) {
      problems.push(`${file} imports ${specifier}, which is not there`);
      continue;
    }
    if (!typeOnly && to.endsWith('.ts')) graph.get(file).push(to);
    for (const { name, why, from, except, never, only, typesToo } of RULES) {
      if (!from.test(file) || except?.test(file) || (typeOnly && !typesToo)) continue;
      if (never?.test(to) || (only && !only.test(to)))
        problems.push(`${file} imports ${to}\n    ${name}: ${why}`);
    }
  }
  if (PURE.test(file)) {
    for (const call of new Set(impure))
      problems.push(
        `${file} calls ${call}\n    domain is pure: it takes times and random values as arguments`,
      );
  }
}
for (const circle of circles(graph))
  problems.push(`modules import each other in a circle:\n    ${circle.join('\n    -> ')}`);

for (const problem of problems) console.error(`  ${problem}`);
console.log(
  problems.length === 0
    ? `Dependency directions hold (${files.length} files).`
    : `${problems.length} imports against the dependency rules (scripts/dependency-rules.mjs).`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
