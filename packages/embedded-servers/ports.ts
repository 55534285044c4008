import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/** The port that each server tries on its first start. When it is taken, the server gets any free port. */
const DEFAULT_PORTS = { postgres: 5433, temporal: 7233, temporalUi: 8233, sandbox: 3100 } as const;

export type PortName = keyof typeof DEFAULT_PORTS;

/** Listens on a port. Returns the server, or the error code, such as `EADDRINUSE`. Port 0 always works. */
function openListener(port: number, host: string): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** Listens on a port for a moment. Returns the port, or the error code. */
async function tryListen(port: number, host: string): Promise<number | string> {
  const server = await openListener(port, host);
  if (typeof server === 'string') return server;
  const bound = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return bound;
}

/** Returns the error code of listening on a port, or undefined when listening works. */
export async function listenError(port: number, host: string): Promise<string | undefined> {
  const listened = await tryListen(port, host);
  return typeof listened === 'string' ? listened : undefined;
}

const kept = new Set<number>();

/** Keeps a port for a server that the configuration gives it to, and that listens later: no embedded server gets it. */
export function keepPort(port: number): void {
  kept.add(port);
}

/** Below the ports that Linux (32768), macOS and Windows (49152) give to outgoing connections and to listeners on port 0. */
const FREE_PORTS = { from: 20_000, below: 32_768 } as const;
const MOST_TRIES = 1_000;
const handedOut = new Set<number>();

/**
 * Returns a port of 127.0.0.1 that is free now. The system gives it to no other program before it is used, or while its owner
 * restarts. A process gets no port twice.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.below);
    if (handedOut.has(port) || kept.has(port) || typeof (await tryListen(port, '127.0.0.1')) === 'string') continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`No free port on 127.0.0.1 after ${MOST_TRIES} tries`);
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
export async function choosePort(dataDir: string, name: PortName, taken: readonly number[] = []): Promise<number> {
  const previous = (await storedPorts(dataDir))[name];
  let chosen: number | string | undefined;
  for (const candidate of [previous, DEFAULT_PORTS[name]]) {
    if (candidate === undefined || taken.includes(candidate) || kept.has(candidate)) continue;
    chosen = await tryListen(candidate, '127.0.0.1');
    if (typeof chosen === 'number') break;
  }
  const port = typeof chosen === 'number' ? chosen : await freePort();
  if (port !== previous) {
    const write = lastWrite.then(async () =>
      writeFileAtomic(
        join(dataDir, 'ports.json'),
        `${JSON.stringify({ ...(await storedPorts(dataDir)), [name]: port }, null, 2)}\n`,
      ),
    );
    lastWrite = write.catch(() => undefined);
    await write;
  }
  return port;
}

/**
 * Chooses a port like `choosePort`, and listens on it, so that no other stack that starts at the same time takes it. A server
 * takes the port over with `listen(listener)`.
 */
export async function reservePort(dataDir: string, name: PortName): Promise<{ port: number; listener: Server }> {
  const taken: number[] = [];
  for (;;) {
    const port = await choosePort(dataDir, name, taken);
    const listener = await openListener(port, '127.0.0.1');
    if (typeof listener !== 'string') return { port, listener };
    taken.push(port);
  }
}
