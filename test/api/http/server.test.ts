import { Agent, get, request } from 'node:http';
import express from 'express';
import { startHttpServer } from '../../../api/http/server';

const LISTEN = { host: '127.0.0.1', port: 0 };

/** An app whose response to /slow waits for `finish`. */
function slowApp() {
  const app = express();
  const slow = Promise.withResolvers<express.Response>();
  app.get('/quick', (_req, res) => void res.end('quick'));
  app.get('/slow', (_req, res) => slow.resolve(res));
  return { app, arrived: slow.promise, finish: async () => void (await slow.promise).end('slow') };
}

const read = (url: string, agent?: Agent) =>
  new Promise<{ status: number; text: string; connection: string | undefined }>((resolve, reject) => {
    get(url, agent ? { agent } : {}, (res) => {
      let text = '';
      res.on('data', (part) => {
        text += part;
      });
      res.on('end', () => resolve({ status: res.statusCode!, text, connection: res.headers.connection }));
    }).on('error', reject);
  });

test('stop waits for requests in flight, closes idle connections and accepts no new ones', async () => {
  const { app, arrived, finish } = slowApp();
  const server = await startHttpServer(app, LISTEN);
  const agent = new Agent({ keepAlive: true });
  expect((await read(`${server.url}/quick`, agent)).text).toBe('quick');
  const slow = read(`${server.url}/slow`);
  await arrived;
  // The test does not wait so long.
  const stopped = server.stop(600_000);
  await finish();
  expect((await slow).text).toBe('slow');
  await stopped;
  await expect(read(`${server.url}/quick`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  agent.destroy();
});

test('stop closes connections that are open after the grace period', async () => {
  const { app, arrived } = slowApp();
  const server = await startHttpServer(app, LISTEN);
  const never = read(`${server.url}/slow`);
  never.catch(() => undefined);
  await arrived;
  await server.stop(100);
  await expect(never).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a port in use is reported', async () => {
  const { app } = slowApp();
  const server = await startHttpServer(app, LISTEN);
  await expect(startHttpServer(app, { host: LISTEN.host, port: server.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
  await server.stop(0);
});

test('a sender that never ends its body does not delay stop', async () => {
  const app = express();
  const arrived = Promise.withResolvers<void>();
  app.use((_req, _res, next) => {
    arrived.resolve();
    next();
  });
  app.post('/body', express.json(), (_req, res) => void res.end('read'));
  const server = await startHttpServer(app, LISTEN);
  const sender = request(`${server.url}/body`, { method: 'POST', headers: { 'Content-Length': '100' } });
  sender.on('error', () => undefined);
  sender.write('{"a":');
  await arrived.promise;
  const startedAt = Date.now();
  await server.stop(100);
  expect(Date.now() - startedAt).toBeLessThan(60_000);
  sender.destroy();
});
