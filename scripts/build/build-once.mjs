import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import lockfile from 'proper-lockfile';

/** The top-level folder of the project. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Holds what is built. */
export const dist = join(root, 'dist');

/** Returns the paths of the files in a folder whose names end in `ending`, sorted. */
export function filesBelow(dir, ending = '') {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true })
    .map((name) => join(dir, name))
    .filter((path) => path.endsWith(ending) && statSync(path).isFile())
    .sort();
}

/** Returns a hash of files, of this module, and of the version of Node. */
function hashOf(files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of [fileURLToPath(import.meta.url), ...files])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * Builds something into dist/ unless it is up to date. A lock makes it safe to build twice at the same time.
 *
 * @param name what is built; also the name of the lock file in dist/
 * @param inputs paths of the files that it is built from
 * @param stampFile holds the hash of the inputs of the last build. A build that replaces its folder may delete it
 * @param outputs paths that exist after a build
 * @param build builds it
 * @returns the duration in seconds; undefined when it was up to date
 */
export async function buildOnce({ name, inputs, stampFile, outputs = [], build }) {
  const hash = hashOf(inputs);
  const isCurrent = () =>
    existsSync(stampFile) && outputs.every(existsSync) && readFileSync(stampFile, 'utf8') === hash;
  if (isCurrent()) return undefined;
  mkdirSync(dist, { recursive: true });
  const release = await lockfile.lock(dist, {
    lockfilePath: join(dist, `${name}.lock`),
    // A build blocks its process, which renews the lock, for minutes on a busy machine.
    stale: 300_000,
    retries: { retries: 3_000, factor: 1, minTimeout: 200, maxTimeout: 200 },
  });
  try {
    if (isCurrent()) return undefined;
    const started = Date.now();
    console.log(`Building the ${name}`);
    rmSync(stampFile, { force: true });
    await build();
    writeFileSync(stampFile, hash);
    return (Date.now() - started) / 1_000;
  } finally {
    await release();
  }
}
