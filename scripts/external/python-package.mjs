import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './go-tool.mjs';

/** Runs a program and returns what is wrong, or undefined. */
function failureOf(command, args) {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim();
}

/**
 * Returns the virtual environment of a Python package in the cache folder of the user. Installs the package when the cache does not
 * have this version.
 * @param requirement name and version, such as `kubernetes-validate==1.37.0`
 * @throws Error when Python is missing or the package cannot be installed
 */
export function pythonPackage(requirement) {
  const environment = join(cacheFolder(), requirement.replace('==', '-'));
  const complete = join(environment, 'installed');
  if (existsSync(complete)) return environment;
  mkdirSync(cacheFolder(), { recursive: true });
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', environment],
    [join(environment, 'bin', 'pip'), 'install', '--quiet', requirement],
  ]) {
    const failure = failureOf(command, args);
    if (failure !== undefined) throw new Error(`${requirement} was not installed: ${failure}`);
  }
  writeFileSync(complete, `${requirement}\n`);
  return environment;
}
