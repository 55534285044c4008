import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];

// Servers are started within hooks and tests, where jest accepts no more hooks.
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** Serves HTTP on a free port until the last test of the file has ended. */
export async function serveHttp(listener: RequestListener) {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, closeAllConnections: () => server.closeAllConnections() };
}
