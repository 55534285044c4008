import { createServer } from 'node:net';

/**
 * Returns a function that picks free ports below the range of outgoing connections, so that no program takes a port while
 * the process that owns it restarts. It never returns a port twice.
 */
export function portPicker(): () => Promise<number> {
  const taken = new Set<number>();
  return async () => {
    for (;;) {
      const port = 20_000 + Math.floor(Math.random() * 12_000);
      if (taken.has(port)) continue;
      taken.add(port);
      const isFree = await new Promise<boolean>((resolve) => {
        const server = createServer();
        server.once('error', () => resolve(false));
        server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
      });
      if (isFree) return port;
    }
  };
}
