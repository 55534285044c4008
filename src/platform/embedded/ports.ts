import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** The port that each server tries on its first start. When it is taken, the server gets any free port. */
const DEFAULT_PORTS = { postgres: 5433, temporal: 7233, temporalUi: 8233, sandbox: 3100 } as const;

export type PortName = keyof typeof DEFAULT_PORTS;

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

/**
 * Returns the error code of listening on a port, such as `EADDRINUSE`, or undefined when listening works. Port 0 always
 * works.
 */
export function listenError(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Returns a port that is free now. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const port = await tryListen(0, host);
  if (port === undefined) throw new Error(`No free port on ${host}`);
  return port;
}

async function storedPorts(dataDir: string): Promise<Partial<Record<PortName, number>>> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'ports.json'), 'utf8'));
  } catch {
    return {};
  }
}

let lastWrite: Promise<unknown> = Promise.resolve();

/**
 * Picks the port of an embedded server: its previous port, or its default port, or any free port. The choice is stored in
 * `DATA_DIR/ports.json`, so that bookmarked addresses survive restarts.
 * @param taken ports that turned out not to work although they seemed free
 */
export async function choosePort(
  dataDir: string,
  name: PortName,
  taken: readonly number[] = [],
): Promise<number> {
  const previous = (await storedPorts(dataDir))[name];
  let port: number | undefined;
  for (const candidate of [previous, DEFAULT_PORTS[name]]) {
    if (candidate === undefined || taken.includes(candidate)) continue;
    port = await tryListen(candidate, '127.0.0.1');
    if (port !== undefined) break;
  }
  const chosen = port ?? (await freePort());
  if (chosen !== previous) {
    const write = lastWrite.then(async () =>
      writeFileAtomic(
        join(dataDir, 'ports.json'),
        `${JSON.stringify({ ...(await storedPorts(dataDir)), [name]: chosen }, null, 2)}\n`,
      ),
    );
    lastWrite = write.catch(() => undefined);
    await write;
  }
  return chosen;
}
