import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** What is installed beside our own code: as the lock file says, and under which licence. */

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly license?: string;
}

const root = projectRoot();
const read = <T>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const { packages } = read<{ packages: Record<string, LockedPackage> }>('package-lock.json');
const installed = Object.entries(packages).filter(([path]) => path !== '');
const shipped = installed.filter(([, { dev }]) => !dev);

/** Licences that let the engine be shipped under its own: permissive ones, and weak copyleft of whole files. */
const PERMISSIVE =
  /^(?:MIT(?:-0)?|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-[34]\.0|OFL-1\.1|Zlib|Python-2\.0|PSF-2\.0|PostgreSQL|WTFPL|MPL-2\.0)$/;
/** Packages whose package.json names no licence: as their LICENSE file has it. */
const BY_FILE: Readonly<Record<string, string>> = { 'png-js': 'MIT', unionfs: 'Unlicense' };

function licenceOf(path: string, locked: LockedPackage): string {
  const file = join(path, 'package.json');
  if (!existsSync(join(root, file))) return locked.license ?? '';
  const { license, licenses } = read<{
    license?: string | { type: string };
    licenses?: readonly { type: string }[];
  }>(file);
  const given = license ?? licenses?.[0];
  const named = (typeof given === 'string' ? given : given?.type) ?? locked.license;
  return named ?? BY_FILE[path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] ?? '';
}

/** Of `A OR B` one is enough, of `A AND B` all are needed. */
function permitted(expression: string): boolean {
  const terms = expression.replace(/[()]/g, ' ');
  return terms
    .split(/\s+OR\s+/i)
    .some((any) => any.split(/\s+AND\s+/i).every((one) => PERMISSIVE.test(one.trim())));
}

test('the rule tells one licence from another', () => {
  expect(['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0 AND BSD-3-Clause'].map(permitted)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['GPL-3.0', 'AGPL-3.0-only', 'SSPL-1.0', 'MIT AND GPL-2.0', ''].map(permitted)).toEqual(
    Array(5).fill(false),
  );
});

test('everything that ships has a licence that lets it', () => {
  expect(shipped.length).toBeGreaterThan(100);
  const wrong = shipped
    .map(([path, locked]) => [path, licenceOf(path, locked)] as const)
    .filter(([, licence]) => !permitted(licence));
  expect(wrong).toEqual([]);
});

test('every package is pinned to the bytes that were reviewed, and comes from a registry', () => {
  const loose = installed.filter(
    ([, { integrity, link, resolved }]) =>
      link ||
      !integrity?.startsWith('sha512-') ||
      (resolved !== undefined && !resolved.startsWith('https://')),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('what package.json asks for is exact, and the same as the lock file has', () => {
  const { dependencies, optionalDependencies, devDependencies } =
    read<Record<string, Record<string, string>>>('package.json');
  for (const [name, wanted] of Object.entries({
    ...dependencies,
    ...optionalDependencies,
    ...devDependencies,
  })) {
    // An alias reads npm:<name>@<version>.
    const version = wanted.replace(/^npm:.+@/, '');
    expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)]);
    expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});

test('scripts of packages run only where package.json lets them', () => {
  const { allowScripts } = read<{ allowScripts: Record<string, boolean> }>('package.json');
  const scripted = installed.filter(([, locked]) => 'hasInstallScript' in locked).map(([path]) => path);
  const names = new Set(
    scripted.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  expect([...names].filter((name) => !(name in allowScripts))).toEqual([]);
});
