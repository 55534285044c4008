/**
 * Builds the web console into dist/console: files with hashed names, each with a gzip copy beside it. Does nothing when the
 * files are up to date. A lock makes it safe to build twice at the same time.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import lockfile from 'proper-lockfile';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const out = join(dist, 'console');
const stampFile = join(out, 'built-from');

const filesIn = (dir) =>
  readdirSync(dir, { recursive: true })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .sort();

/** Returns a hash of everything that the console is built from. */
function sourcesHash() {
  const hash = createHash('sha256').update(process.version);
  const inputs = ['package-lock.json', 'tsconfig.json', 'client/operations.ts', 'scripts/build-console.mjs'];
  for (const file of [...inputs.map((name) => join(root, name)), ...filesIn(join(root, 'console'))])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const isCurrent = (hash) => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash;

async function build(hash) {
  const { build: bundle } = await import('vite');
  const fresh = `${out}.${process.pid}`;
  await bundle({
    configFile: join(root, 'console', 'vite.config.mts'),
    logLevel: 'warn',
    build: { outDir: fresh },
  });
  for (const file of filesIn(join(fresh, 'assets'))) {
    if (/\.(js|css|svg)$/.test(file))
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
  }
  writeFileSync(join(fresh, 'built-from'), hash);
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
}

const hash = sourcesHash();
if (!isCurrent(hash)) {
  mkdirSync(dist, { recursive: true });
  const release = await lockfile.lock(dist, {
    lockfilePath: join(dist, 'console.lock'),
    stale: 60_000,
    retries: { retries: 600, factor: 1, minTimeout: 200, maxTimeout: 200 },
  });
  try {
    if (!isCurrent(hash)) {
      const started = Date.now();
      await build(hash);
      console.log(`Console built in ${((Date.now() - started) / 1_000).toFixed(1)} s.`);
    }
  } finally {
    await release();
  }
}
