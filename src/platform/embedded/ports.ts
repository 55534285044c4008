import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { writeFileAtomically } from './files';

/** What each server tries on its first start; taken already, it gets any free port. */
const FIRST_CHOICE = { postgres: 5433, temporal: 7233, temporalUi: 8233, sandbox: 3100 } as const;

export type PortName = keyof typeof FIRST_CHOICE;

function tryListen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const { port: bound } = server.address() as { port: number };
      server.close(() => resolve(bound));
    });
  });
}

/** Why a port cannot be listened on, as a code such as `EADDRINUSE`; undefined when it can. Port 0 always can. */
export function whyNotListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const port = await tryListen(0, host);
  if (port === undefined) throw new Error(`no free port on ${host}`);
  return port;
}

async function remembered(dataDir: string): Promise<Partial<Record<PortName, number>>> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8'));
  } catch {
    return {};
  }
}

let lastWrite: Promise<unknown> = Promise.resolve();

/**
 * Picks the port of an embedded server: the one it had last time, else its usual one, else any that is free.
 * The choice is kept in `DATA_DIR/ports.json`, so that bookmarked addresses survive restarts.
 * @param taken ports known not to work, although they looked free
 */
export async function choosePort(
  dataDir: string,
  name: PortName,
  taken: readonly number[] = [],
): Promise<number> {
  const before = (await remembered(dataDir))[name];
  let port: number | undefined;
  for (const candidate of [before, FIRST_CHOICE[name]]) {
    if (candidate === undefined || taken.includes(candidate)) continue;
    port = await tryListen(candidate, '127.0.0.1');
    if (port !== undefined) break;
  }
  const chosen = port ?? (await freePort());
  if (chosen !== before) {
    const write = lastWrite.then(async () =>
      writeFileAtomically(
        join(dataDir, 'ports.json'),
        `${JSON.stringify({ ...(await remembered(dataDir)), [name]: chosen }, null, 2)}\n`,
      ),
    );
    lastWrite = write.catch(() => undefined);
    await write;
  }
  return chosen;
}
