import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';
import { compiledProgram } from '../support/compiled-program';

const home = mkdtempSync(join(tmpdir(), 'pressline-home-'));

// The console is the other part that a start needs.
beforeAll(() => {
  compiledProgram();
  spawnSync(process.execPath, ['scripts/build/build-console.mjs'], { cwd: projectRoot() });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs what `npm start` runs first, as a user with an empty cache and no other programs. */
function prepare(environment: NodeJS.ProcessEnv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build/prepare-start.mjs'], {
    cwd: projectRoot(),
    encoding: 'utf8',
    env: { PATH: home, HOME: home, XDG_CACHE_HOME: join(home, 'cache'), ...environment },
  });
  return { status, stdout, stderr };
}

test('Preparing a start prints nothing when Pressline is built and has a Temporal server', () => {
  expect(prepare({ TEMPORAL_ADDRESS: '127.0.0.1:7233' })).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('Preparing a start tries every way to a Temporal server, with the time of each step, and names the solutions', () => {
  const { status, stdout, stderr } = prepare({ TEMPORAL_DOWNLOAD_TIMEOUT: '10ms' });
  const steps = stdout.trim().split('\n');
  for (const step of steps) expect(step).toMatch(/^\[ *\d+\.\d s\] Temporal server: /);
  expect(steps[0]).toMatch(/downloading with the Temporal SDK \(at most 0\.01 s\)$/);
  expect(stdout).toMatch(/the download timed out/);
  expect(stdout).toContain('Python is not on PATH');
  expect(stdout).toContain('Go is not on PATH');
  expect(stderr).toMatch(/^No Temporal server found\. Choose one of these solutions:/);
  expect(status).toBe(1);
});
