import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../../api/app';
import { type HttpServer, startHttpServer } from '../../api/http/server';
import { allRoutes } from '../../api/routes';
import { type TestAccount, testAccount, testApiDeps } from '../support/api-deps';
import { testDatabase } from '../support/database';

/** Senders that hold a connection without finishing a request, and bytes that are not HTTP. */

// A busy machine responds to a complete request within these limits.
const LIMITS = { headersMs: 1_000, requestMs: 2_000, uploadBytesPerSecond: 10_000, checkMs: 100 };
/** Without the limits, the connections stay open. */
const CLOSED_WITHIN_MS = 60_000;

let server: HttpServer;
let client: TestAccount;
let rows: () => Promise<number>;

beforeAll(async () => {
  const { sql } = await testDatabase();
  const deps = await testApiDeps(sql);
  client = await testAccount(sql, 'client');
  server = await startHttpServer(createApp(deps, allRoutes(deps)), { host: '127.0.0.1', port: 0 }, LIMITS);
  rows = async () => Number((await sql`SELECT count(*) AS count FROM orders`)[0]!.count);
});
afterAll(() => server.stop(0));

interface Conversation {
  readonly socket: Socket;
  /** Resolves at the end of the connection with all bytes received and the duration. */
  readonly ended: Promise<{ text: string; ms: number }>;
}

function talk(first: string | Buffer): Conversation {
  const startedAt = performance.now();
  const socket = connect(server.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(first);
  const ended = new Promise<{ text: string; ms: number }>((resolve) => {
    socket.on('close', () =>
      resolve({ text: Buffer.concat(chunks).toString('latin1'), ms: performance.now() - startedAt }),
    );
  });
  return { socket, ended };
}

/** Sends one chunk after another until the connection is closed. */
async function trickle({ socket }: Conversation, piece: string, everyMs = 40): Promise<void> {
  while (!socket.destroyed) {
    socket.write(piece);
    await sleep(everyMs);
  }
}

const head = (key: string, length: string) =>
  `POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-API-KEY: ${key}\r\n${length}\r\n\r\n`;
const credentials = () => `${client.apiKey}:${client.apiSecret}`;

test('endless slow headers get 408', async () => {
  const conversation = talk('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  await trickle(conversation, 'X-A: b\r\n');
  const { text, ms } = await conversation.ended;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(ms).toBeGreaterThan(LIMITS.headersMs - 50);
  expect(ms).toBeLessThan(CLOSED_WITHIN_MS);
});

test('an idle connection is closed', async () => {
  const { ms } = await talk('').ended;
  expect(ms).toBeLessThan(CLOSED_WITHIN_MS);
});

test('a slow body gets 408 and is not stored', async () => {
  const before = await rows();
  const conversation = talk(head(credentials(), 'Content-Length: 100000'));
  await trickle(conversation, ' ');
  const { text, ms } = await conversation.ended;
  expect(text).toMatch(/^HTTP\/1\.1 (?:408|400) /);
  expect(ms).toBeLessThan(CLOSED_WITHIN_MS);
  expect(await rows()).toBe(before);
});

test('an upload that is fast enough takes longer than other requests may', async () => {
  const post = (path: string, type: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nX-API-KEY: ${credentials()}\r\nContent-Length: ${length}\r\n\r\n`;
  const channel = '{"kind":"csv","name":"slow"}';
  const made = await talk(`${post('/v1/channels', 'application/json', channel.length)}${channel}`).ended;
  const id = /"id":"([^"]+)"/.exec(made.text)![1]!;
  const [pieces, piece] = [50, `${'a,b,c'.padEnd(9_999)}\n`];
  const conversation = talk(post(`/v1/channels/${id}/files`, 'text/csv', pieces * piece.length));
  for (let sent = 0; sent < pieces; sent += 1) {
    conversation.socket.write(piece);
    await sleep(60);
  }
  const { text, ms } = await conversation.ended;
  expect(ms).toBeGreaterThan(LIMITS.requestMs);
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['a body shorter than its length', 'Content-Length: 4000', '{"orderReferenceId":"half"}'],
  ['chunks that break off', 'Transfer-Encoding: chunked', '1b\r\n{"orderReferenceId":"half"}\r\n'],
  ['a chunk that breaks off', 'Transfer-Encoding: chunked', 'fff\r\n{"orderReferenceId":"half"}'],
])('%s is not stored when its sender disconnects', async (_name, framing, body) => {
  const before = await rows();
  const conversation = talk(head(credentials(), framing) + body);
  conversation.socket.end();
  const { text } = await conversation.ended;
  expect(text).toMatch(/^(?:HTTP\/1\.1 400 |$)/);
  expect(await rows()).toBe(before);
});

test('a request without a key gets its response before its body arrives', async () => {
  const conversation = talk(head('plk_nobody', 'Content-Length: 1000000'));
  const response = await new Promise<string>((resolve) =>
    conversation.socket.once('data', (data) => resolve(String(data))),
  );
  expect(response).toMatch(/^HTTP\/1\.1 401 /);
  conversation.socket.destroy();
});

test('a body with a Content-Length over the limit is refused before it arrives', async () => {
  const conversation = talk(head(credentials(), 'Content-Length: 5000000'));
  const response = await new Promise<string>((resolve) =>
    conversation.socket.once('data', (data) => resolve(String(data))),
  );
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
  conversation.socket.destroy();
});

test('an endless body is discarded and the connection closed', async () => {
  const conversation = talk(head(credentials(), 'Transfer-Encoding: chunked'));
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  const before = process.memoryUsage().rss;
  await trickle(conversation, chunk, 5);
  const { text, ms } = await conversation.ended;
  expect(text).toMatch(/^(?:HTTP\/1\.1 (?:413|408) |$)/);
  expect(ms).toBeLessThan(CLOSED_WITHIN_MS);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400],
  ['two lengths', 'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
  [
    'a length and chunks',
    'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['more than 16 KiB of headers', `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
] as const)('%s is refused, and the connection closed', async (_name, bytes, status) => {
  const { text, ms } = await talk(bytes as string | Buffer).ended;
  // The key may be refused first. The malformed part then closes the connection.
  expect(text).toContain(`HTTP/1.1 ${status} `);
  expect(ms).toBeLessThan(CLOSED_WITHIN_MS);
});
