import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepPort, listenError, reservePort } from '../ports';

const root = mkdtempSync(join(tmpdir(), 'pressline-ports-'));
afterAll(() => rmSync(root, { recursive: true }));

test('two stacks that start at the same moment reserve different ports, and keep them', async () => {
  const folders = ['first', 'second'].map((name) => mkdtempSync(join(root, name)));
  const reserved = await Promise.all(folders.map((folder) => reservePort(folder, 'sandbox')));
  expect(new Set(reserved.map(({ port }) => port)).size).toBe(2);
  for (const { port, listener } of reserved) {
    expect(await listenError(port, '127.0.0.1')).toBe('EADDRINUSE');
    listener.close();
  }
});

test('a port that the configuration gives to another server is not reserved, although it is free and stored', async () => {
  const folder = mkdtempSync(join(root, 'kept'));
  const before = await reservePort(folder, 'sandbox');
  await new Promise((resolve) => before.listener.close(resolve));
  keepPort(before.port);
  const { port, listener } = await reservePort(folder, 'sandbox');
  listener.close();
  expect(port).not.toBe(before.port);
});

test('a server takes a reserved port over, without a moment in which the port is free', async () => {
  const { port, listener } = await reservePort(mkdtempSync(join(root, 'third')), 'sandbox');
  const server = createServer((_, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(listener, resolve));
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('here');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await listenError(port, '127.0.0.1')).toBeUndefined();
});
