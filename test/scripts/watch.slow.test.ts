import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../src/platform/project-root';

const folder = mkdtempSync(join(tmpdir(), 'pressline-watch-'));
const source = join(folder, 'source.txt');
const log = join(folder, 'log');
let watcher: ChildProcess;
let change: (version: string) => void;

const lines = () =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Waits until a line is in the log of the builds and programs. */
async function until(line: string, count = 1): Promise<void> {
  while (lines().filter((entry) => entry === line).length < count) await sleep(50);
}

/** A program that writes to the log when it starts and stops, and runs until it is stopped. */
const program = `
  const { appendFileSync, readFileSync } = require('node:fs');
  const version = readFileSync(${JSON.stringify(source)}, 'utf8');
  const say = (text) => appendFileSync(${JSON.stringify(log)}, text + '\\n');
  process.on('SIGTERM', () => { say('stopped ' + version); process.exit(0); });
  say('started ' + version);
  const parent = process.ppid;
  setInterval(() => { if (process.ppid !== parent) process.exit(1); }, 200);
`;
/** A build that fails when the source says so. */
const build = `
  const { appendFileSync, readFileSync } = require('node:fs');
  const version = readFileSync(${JSON.stringify(source)}, 'utf8');
  appendFileSync(${JSON.stringify(log)}, 'built ' + version + '\\n');
  process.exit(version === 'broken' ? 1 : 0);
`;

beforeAll(() => {
  writeFileSync(source, 'one');
  writeFileSync(log, '');
  const module = pathToFileURL(join(projectRoot(), 'scripts/watch.mjs')).href;
  // The log is outside the watched folder.
  const watched = mkdtempSync(join(folder, 'watched-'));
  const options = {
    folders: [watched],
    build: [process.execPath, '-e', build],
    start: [process.execPath, '-e', program],
  };
  watcher = spawn(
    process.execPath,
    [
      '-e',
      `import(${JSON.stringify(module)}).then(({ watchAndRestart }) => watchAndRestart(${JSON.stringify(options)}))`,
    ],
    { stdio: 'ignore' },
  );
  change = (version) => {
    writeFileSync(source, version);
    writeFileSync(join(watched, 'file.ts'), version);
  };
});

afterAll(() => {
  watcher.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('builds, starts, and restarts after a change; a failed build leaves the program running', async () => {
  await until('started one');
  change('two');
  await until('started two');
  expect(lines().slice(-4)).toEqual(['started one', 'built two', 'stopped one', 'started two']);

  change('broken');
  await until('built broken');
  change('three');
  await until('started three');
  expect(lines().filter((line) => line.startsWith('stopped'))).toEqual(['stopped one', 'stopped two']);
  expect(lines()).not.toContain('started broken');

  const ended = new Promise((resolve) => watcher.once('exit', resolve));
  watcher.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(lines().at(-1)).toBe('stopped three');
});
