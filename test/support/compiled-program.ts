import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root';

let path: string | undefined;

/**
 * Compiles the sources as `npm start` does, unless dist/ is up to date. Nothing else compiles them for the tests.
 * @returns the path of the compiled program
 * @throws Error with the output of the compiler
 */
export function compiledProgram(): string {
  if (path !== undefined) return path;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot(), 'scripts/build/build.mjs')]);
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
  path = join(projectRoot(), 'dist/cli/main.js');
  return path;
}
