import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { type HttpServer, startHttpServer } from '../../api/http/server';
import { eventually } from '../support/eventually';

/** Readers that hold a response open by not reading it. */

// A reader on a busy machine reads faster than this limit, and the one that reads a little reads slower.
const LIMITS = { checkMs: 50, readerMs: 2_000, readerBytesPerSecond: 20_000 };
let server: HttpServer;
let sources: Readable[] = [];

beforeAll(async () => {
  const app = express();
  const send = (path: string, source: () => Readable) =>
    app.get(path, async (_req, res) => {
      const body = source();
      sources.push(body);
      await pipeline(body, res).catch(() => undefined);
    });
  send(
    '/endless',
    () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      }),
  );
  send('/sparse', () =>
    Readable.from(
      (async function* () {
        for (let part = 0; part < 40; part += 1) {
          yield Buffer.from('part ');
          await sleep(100);
        }
      })(),
    ),
  );
  server = await startHttpServer(app, { host: '127.0.0.1', port: 0 }, LIMITS);
});
beforeEach(() => {
  sources = [];
});
afterAll(() => server.stop(0));

/** Opens a connection whose data is not read until the caller reads it. */
function ask(path: string) {
  const socket = connect({ port: server.port, host: '127.0.0.1', highWaterMark: 1_024 } as never);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

const sourceIsClosed = (of = 0) => eventually(async () => (sources[of]?.destroyed ? true : undefined));

test('a reader that reads nothing is cut, and the source of its response is closed', async () => {
  const socket = ask('/endless');
  expect(await sourceIsClosed()).toBe(true);
  socket.destroy();
});

test('a reader that reads a little now and then is cut', async () => {
  const socket = ask('/endless');
  let read = 0;
  const trickle = setInterval(() => {
    read += (socket.read(512) as Buffer | null)?.length ?? 0;
  }, 100);
  await sourceIsClosed();
  expect(read).toBeGreaterThan(0);
  clearInterval(trickle);
  socket.destroy();
});

test('a reader that reads is not cut', async () => {
  const socket = ask('/endless');
  let read = 0;
  socket.on('data', (chunk) => {
    read += chunk.length;
  });
  await eventually(async () => read > 0 || undefined);
  // Readers that came later and read nothing are cut, one after the other.
  for (const later of [1, 2]) {
    const idle = ask('/endless');
    await sourceIsClosed(later);
    idle.destroy();
  }
  expect(sources[0]!.destroyed).toBe(false);
  expect(read).toBeGreaterThan(LIMITS.readerBytesPerSecond);
  socket.destroy();
  await sourceIsClosed();
});

test('a reader that waits for a slow source is not cut', async () => {
  const socket = ask('/sparse');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  await eventually(async () => (text.endsWith('0\r\n\r\n') ? true : undefined));
  expect(text.match(/part /g)).toHaveLength(40);
  socket.destroy();
});
