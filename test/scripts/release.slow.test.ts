import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

/** The release steps of docs/development/releases.md. */

const root = projectRoot();
const folder = mkdtempSync(join(tmpdir(), 'pressline-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WORKFLOWS = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
const FILES = ['Dockerfile', 'docker-compose.yml', ...WORKFLOWS];
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');
/** Returns the images and actions that a file names. */
const references = (name: string) =>
  [...textOf(name).matchAll(/^(?:FROM (?=\S+:)|\s*image: (?=\S+:)|\s*(?:- )?uses: )(\S.*)$/gm)].map(([, reference]) =>
    reference!.replace(/ AS .*/, ''),
  );

/** Puts a `docker` and a `git` on the PATH that respond to every look-up with the output of shell commands. */
function registriesRespond(docker: string, git = 'printf "%040d\trefs/tags/v1\\n" 7'): NodeJS.ProcessEnv {
  for (const [name, command] of Object.entries({ docker, git })) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
}

function pin(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/release/pin-images.mjs'), ...args, folder],
    {
      env: environment,
      encoding: 'utf8',
    },
  );
  return { status, stderr };
}

beforeEach(() => {
  for (const name of FILES) {
    const text = readFileSync(join(root, name), 'utf8');
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const loose = text.replace(/@sha256:[0-9a-f]{64}/g, '').replace(/@[0-9a-f]{40} # /g, '@');
    writeFileSync(join(folder, name), loose);
  }
});

test('npm run pack -- sbom lists exactly the packages that ship, with version and hash', () => {
  const file = join(folder, 'sbom.cdx.json');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release/sbom.mjs'), file], {
    encoding: 'utf8',
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string;
    components: {
      name: string;
      group?: string;
      version: string;
      hashes?: { alg: string }[];
      licenses?: object[];
    }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean; link?: boolean; name?: string }>;
  };
  const shipped = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version, name }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`);
  const listed = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);
  expect(new Set(listed)).toEqual(new Set(shipped));
  expect(components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
});

test('pin-images writes the digest of every image and the commit of every action that the registries give', () => {
  const before = FILES.flatMap(references);
  expect(before.length).toBeGreaterThan(15);
  const environment = registriesRespond(
    'for image; do :; done\nprintf "sha256:"; printf %s "$image" | sha256sum | cut -c1-64',
    // An annotated tag: the commit is the last line.
    'printf "%040d\trefs/tags/v1\\n%040d\trefs/tags/v1^{}\\n" 1 2',
  );
  expect(pin(environment, '--check').status).toBe(1);
  expect(pin(environment).status).toBe(0);
  const pinned = FILES.flatMap(references);
  expect(pinned).toHaveLength(before.length);
  for (const [at, reference] of pinned.entries()) {
    const [action, tag] = before[at]!.split('@');
    if (tag === undefined) expect(reference).toMatch(new RegExp(`^${action}@sha256:[0-9a-f]{64}$`));
    else expect(reference).toBe(`${action}@${'2'.padStart(40, '0')} # ${tag}`);
  }
  expect(pin(environment, '--check')).toEqual({ status: 0, stderr: '' });
  const once = FILES.map(textOf);
  expect(pin(environment).status).toBe(0);
  expect(FILES.map(textOf)).toEqual(once);
});

test.each([
  ['does not respond', 'echo "no such host" >&2; exit 1', undefined],
  ['responds with something else', 'echo latest', undefined],
  ['knows only the first image', 'test -e "$0.used" && exit 1; touch "$0.used"; printf "sha256:%064d\n" 1', undefined],
  ['knows no action', 'printf "sha256:%064d\n" 1', 'true'],
])('pin-images changes no file when the registry %s', (_, docker, git) => {
  const before = FILES.map(textOf);
  expect(pin(registriesRespond(docker, git)).status).not.toBe(0);
  expect(FILES.map(textOf)).toEqual(before);
});

test('every image and action is pinned to a digest, with the version of the action, and no checkout keeps the token', () => {
  for (const name of FILES) writeFileSync(join(folder, name), readFileSync(join(root, name)));
  const pinned = /@(sha256:[0-9a-f]{64}|[0-9a-f]{40} # v\d+\.\d+\.\d+)$/;
  expect(FILES.flatMap(references).filter((reference) => !pinned.test(reference))).toEqual([]);
  expect(pin(process.env, '--check')).toEqual({ status: 0, stderr: '' });
  for (const name of WORKFLOWS)
    expect(textOf(name).match(/persist-credentials: false/g)).toHaveLength(
      textOf(name).match(/ actions\/checkout@/g)!.length,
    );
});
