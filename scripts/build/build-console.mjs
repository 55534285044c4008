/**
 * Builds the web console into dist/console: files with hashed names, each with a gzip copy beside it. Does nothing when the
 * files are up to date.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { buildOnce, dist, filesBelow, root } from './build-once.mjs';

const out = join(dist, 'console');

async function build() {
  // Vite keeps the value of the environment. With any other one, as jest sets it, React's development build is taken.
  process.env.NODE_ENV = 'production';
  const { build: bundle } = await import('vite');
  const fresh = `${out}.${process.pid}`;
  await bundle({
    configFile: join(root, 'console', 'vite.config.mts'),
    logLevel: 'warn',
    build: { outDir: fresh },
  });
  for (const file of filesBelow(join(fresh, 'assets'))) {
    if (/\.(js|css|svg)$/.test(file))
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
  }
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
}

const settings = [
  'package-lock.json',
  'tsconfig.json',
  'client/operations.ts',
  'client/order-story.ts',
  'scripts/build/build-console.mjs',
];
const seconds = await buildOnce({
  name: 'console',
  inputs: [...settings.map((name) => join(root, name)), ...filesBelow(join(root, 'console'))],
  stampFile: join(out, 'built-from'),
  build,
});
if (seconds !== undefined) console.log(`Console built in ${seconds.toFixed(1)} s.`);
