/**
 * Mends the Postgres driver (postgres 3.4.9, its newest release) after every install. What it does wrong when a connection
 * breaks under load, each seen within seconds of cutting connections ten times a second:
 * - A small write waits for the next turn of the event loop. When that comes the socket may be gone: an exception that
 *   nobody can catch ends the process (github.com/porsager/postgres issues 1066, 1154, 1208).
 * - The unsent bytes stay, and a timer that never fires: connected anew it sends nothing, and every query given to it
 *   hangs until its time-out.
 * - A query given to it between the socket's error and its close stays in line: connected anew, every answer goes to the
 *   query before the one that it belongs to.
 * - A transaction whose connection broke sends its ROLLBACK all the same, into whatever transaction has the connection next.
 * - A break while it asks for array types ends the process by a promise that nobody waits for.
 * Goes when a release has mended them; test/src/platform/postgres-cuts.test.ts tells.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PATCHED_VERSION = '3.4.9';
const MARK = '/* mended by pressline */';

/** By file: what stands there, and what is to. */
const EDITS = {
  'connection.js': [
    [
      `    const x = socket.write(chunk, fn)
`,
      `    if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options, socket))
      return false
    }
    const x = socket.write(chunk, fn)
`,
    ],
    [
      `    socket.removeAllListeners()
    socket = null

`,
      `    socket.removeAllListeners()
    socket = null
    chunk = nextWriteTimer = null
    const lost = Errors.connection('CONNECTION_CLOSED', options, socket)
    query && queryError(query, lost)
    while (sent.length)
      queryError(sent.shift(), lost)
    query = null

`,
    ],
    ['        return fetchArrayTypes()\n', '        return fetchArrayTypes().catch(() => undefined)\n'],
  ],
  'index.js': [
    [
      `      , connection
      , prepare = null

`,
      `      , connection
      , prepare = null
      , lost = null

`,
    ],
    [
      `        new Promise((_, reject) => connection.onclose = reject)
`,
      `        new Promise((_, reject) => connection.onclose = error => reject(lost = error))
`,
    ],
    [
      `        q.catch(e => uncaughtError || (uncaughtError = e))
        c.queue === full
`,
      `        q.catch(e => uncaughtError || (uncaughtError = e))
        lost ? q.reject(lost) : c.queue === full
`,
    ],
  ],
};

const root = join(dirname(createRequire(import.meta.url).resolve('postgres')), '..', '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
if (version !== PATCHED_VERSION) {
  throw new Error(
    `postgres is ${version}: scripts/patch-postgres.mjs mends ${PATCHED_VERSION}; see whether it is still needed`,
  );
}
for (const folder of [join('cjs', 'src'), 'src']) {
  for (const [name, edits] of Object.entries(EDITS)) {
    const file = join(root, folder, name);
    let text = readFileSync(file, 'utf8');
    if (text.includes(MARK)) continue;
    for (const [before, after] of edits) {
      if (text.split(before).length !== 2)
        throw new Error(`${file} is not as postgres ${PATCHED_VERSION} has it`);
      text = text.replace(before, () => after);
    }
    writeFileSync(file, `${MARK}\n${text}`);
  }
}
