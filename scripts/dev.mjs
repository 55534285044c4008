/**
 * Starts Pressline as `npm start` does, and builds and restarts it after every change of a source. Orders continue after a
 * restart. Also serves the console with hot reload.
 *
 *   npm run dev
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { watchAndRestart } from './watch.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));

// The API serves the console of this build. It is not built again after changes of the console.
execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
const consoleServer = await createServer({ configFile: join(root, 'console', 'vite.config.mts') });
await consoleServer.listen();
const [consoleUrl] = consoleServer.resolvedUrls.local;
console.log(`Console with hot reload: ${consoleUrl} (the sign-in link of the API signs you in there too)`);

// The server of the console runs in this process and ends with it.
await watchAndRestart({
  folders: include,
  build: [process.execPath, join('scripts', 'build', 'build.mjs')],
  start: [process.execPath, '--enable-source-maps', join('dist', 'cli', 'main.js'), 'start'],
});
