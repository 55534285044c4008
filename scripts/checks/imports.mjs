/**
 * Finds the imports of source files. Parsed with swc: TypeScript 7 has no compiler API, and the dependency checkers that
 * parse with swc do not report whether an import is type-only, which the rules depend on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** Returns the paths of the TypeScript and JavaScript files in a folder, relative to `root`. Declaration files are left out. */
export function sourceFiles(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.([cm]?[jt]s|tsx)$/.test(path) && !/\.d\.[cm]?ts$/.test(path))
    .sort();
}

/** Parses a file to the syntax tree of swc. */
export function parse(root, file) {
  const syntax = /\.([cm]?ts|tsx)$/.test(file) ? 'typescript' : 'ecmascript';
  const tsx = file.endsWith('.tsx');
  return parseSync(readFileSync(join(root, file), 'utf8'), { syntax, tsx, target: 'es2024' });
}

/** Calls `visit` with every node of a syntax tree. */
export function walk(node, visit) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const inner of node) walk(inner, visit);
    return;
  }
  visit(node);
  for (const value of Object.values(node)) walk(value, visit);
}

/**
 * Returns every import of a syntax tree.
 * @returns {{ specifier: string, typeOnly: boolean, lazy: boolean }[]} `lazy`: loaded by a call, not when the module loads
 */
export function importsOf(ast) {
  const found = [];
  const add = (source, typeOnly, lazy = false) =>
    source && found.push({ specifier: source.value, typeOnly, lazy });
  const allTypes = (node) =>
    node.typeOnly ||
    (node.specifiers?.length > 0 && node.specifiers.every((specifier) => specifier.isTypeOnly));
  walk(ast.body, (node) => {
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
      case 'CallExpression': {
        const [first] = node.arguments;
        if (first?.expression.type === 'StringLiteral' && loads(node.callee))
          add(first.expression, false, true);
        break;
      }
    }
  });
  return found;
}

function loads(callee) {
  if (callee.type === 'Import') return true;
  if (callee.type === 'MemberExpression') return isRequireResolve(callee);
  return callee.value === 'require';
}

/** True for `require.resolve` and `createRequire(...).resolve`, false for `path.resolve`. */
function isRequireResolve({ object, property }) {
  return (
    property.value === 'resolve' && (object.value === 'require' || object.callee?.value === 'createRequire')
  );
}

/** Returns the package that a specifier names, or undefined for a path. */
export function packageOf(specifier) {
  return /^(?![./])(@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
