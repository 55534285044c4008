import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../src/platform/project-root';

/**
 * Returns the message for a Node version below the floor, undefined for a supported version.
 * The floor is `engines.node` in package.json, in the form `>=22.19.0`.
 */
export function unsupportedNode(version: string): string | undefined {
  const { engines } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
  const floor = engines.node.replace('>=', '');
  if (version.localeCompare(floor, 'en', { numeric: true }) >= 0) return undefined;
  const own = '"npm ci" installs one as node_modules/.bin/node, which "npm start" and "npm run demo" use';
  return `Pressline needs Node ${floor} or later; this is Node ${version}. On Linux with glibc, ${own}.`;
}
