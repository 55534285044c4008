/**
 * Starts Pressline as `npm start` does, and builds and restarts it after every change of a source. Orders continue after a restart.
 *
 *   npm run dev
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchAndRestart } from './watch.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

await watchAndRestart({
  folders: include,
  build: ['npm', 'run', '--silent', 'build'],
  start: [process.execPath, '--enable-source-maps', join('dist', 'cli', 'main.js'), 'start'],
});
