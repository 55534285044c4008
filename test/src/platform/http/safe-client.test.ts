import type { IncomingMessage, ServerResponse } from 'node:http';
import { freePort } from '../../../../packages/embedded-servers/ports';
import { classifyAddress } from '../../../../src/platform/http/outbound-addresses';
import { isTransient, retryAfterMs, TransferError } from '../../../../src/platform/http/responses';
import { createSafeClient, type SafeClient, startTimeouts } from '../../../../src/platform/http/safe-client';
import { eventually } from '../../../support/eventually';
import { serveHttp } from '../../../support/other-systems/http-server';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let handler: Handler;
let origin: string;
let port: number;
const clients: SafeClient[] = [];

function clientWith(options: Parameters<typeof createSafeClient>[0]): SafeClient {
  const client = createSafeClient(options);
  clients.push(client);
  return client;
}

beforeAll(async () => {
  ({ url: origin, port } = await serveHttp((request, response) => handler(request, response)));
});
afterAll(() => Promise.all(clients.map((client) => client.close())));

const call = { timeoutMs: 60_000, limitBytes: 1_000 };

describe('the client', () => {
  const strict = clientWith({ allowPrivate: false });
  const embedded = clientWith({ allowPrivate: true });

  it('tells a server that drops the connection from one that it does not reach', async () => {
    handler = (request) => request.socket.destroy();
    expect(await embedded.request({ url: origin, ...call })).toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(/ ended the connection without a response \(/),
    });
    expect(await embedded.request({ url: `http://127.0.0.1:${await freePort()}`, ...call })).toMatchObject({
      kind: 'connection',
      message: expect.stringMatching(/^no connection to .* \(ECONNREFUSED\)$/),
    });
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://１２７.０.０.１/',
  ])('blocks %s', async (url) => {
    expect(await strict.request({ url, ...call })).toMatchObject({ ok: false, kind: 'blocked' });
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'not a url',
    '',
    'https://user:pw@example.com/',
    'https:///',
  ])('refuses %p as a URL', async (url) =>
    expect(await strict.request({ url, ...call })).toMatchObject({ ok: false, kind: 'invalid-url' }),
  );

  it.each(['http://169.254.169.254/latest/', 'http://[fd00:ec2::254]/', 'http://2852039166/'])(
    'blocks %s also when private addresses are allowed',
    async (url) => expect(await embedded.request({ url, ...call })).toMatchObject({ ok: false, kind: 'blocked' }),
  );

  it.each(['127.0.0.1', 'fe80::1%lo', '2130706433'])(
    'blocks a name that resolves to %s, in the lookup of the connection, which resolves it once',
    async (address) => {
      const resolve = jest.fn(async () => [{ address, family: address.includes(':') ? 6 : 4 }]);
      const client = clientWith({ allowPrivate: false, resolve });
      const blocked = { ok: false, kind: 'blocked' };
      expect(await client.request({ url: `https://internal.example:${port}/`, ...call })).toMatchObject(blocked);
      expect(resolve.mock.calls).toMatchObject([['internal.example']]);
    },
  );

  it('checks each connection to a name whose addresses change', async () => {
    handler = (_request, response) => response.writeHead(200, { connection: 'close' }).end('reached');
    // Given a name that resolves to an allowed address, and then to the cloud metadata
    const addresses = ['127.0.0.1', '169.254.169.254', '127.0.0.1'];
    const client = clientWith({
      allowPrivate: true,
      resolve: async () => [{ address: addresses.shift()!, family: 4 }],
    });
    const exchange = () => client.exchange({ url: `http://rebind.example:${port}/`, ...call });
    expect(await exchange()).toMatchObject({ text: 'reached' });
    expect(await exchange()).toMatchObject({ ok: false, kind: 'blocked' });
    expect(await exchange()).toMatchObject({ text: 'reached' });
    expect(addresses).toEqual([]);
  });

  it('skips forbidden addresses among several', async () => {
    handler = (_request, response) => response.end('reached');
    const client = clientWith({
      allowPrivate: true,
      resolve: async () => [
        { address: '169.254.169.254', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    expect(await client.exchange({ url: `http://mixed.example:${port}/`, ...call })).toMatchObject({
      text: 'reached',
    });
  });

  it('a name that does not resolve is a transient fault', async () => {
    const client = clientWith({
      allowPrivate: false,
      resolve: async () => {
        throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      },
    });
    const result = await client.exchange({ url: 'https://nowhere.example/', ...call });
    expect(result).toMatchObject({
      ok: false,
      kind: 'connection',
      message: expect.stringContaining('ENOTFOUND'),
    });
    expect(isTransient(result)).toBe(true);
  });
});

describe('responses', () => {
  const client = clientWith({ allowPrivate: true });

  it('have status, headers and text; the request has a user agent', async () => {
    let seen: IncomingMessage['headers'] = {};
    let sent = '';
    handler = (request, response) => {
      seen = request.headers;
      request
        .on('data', (chunk) => (sent += chunk))
        .on('end', () => response.writeHead(404, { 'x-a': 'b' }).end('gone fishing'));
    };
    const response = await client.exchange({
      url: `${origin}/a?b`,
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
      ...call,
    });
    expect(response).toMatchObject({
      ok: true,
      status: 404,
      text: 'gone fishing',
      truncated: false,
      headers: { 'x-a': 'b' },
    });
    expect(sent).toBe('{"a":1}');
    expect(seen['user-agent']).toMatch(/^Pressline/);
  });

  it('redirects are not followed; the fault has their location', async () => {
    let calls = 0;
    handler = (_request, response) => {
      calls++;
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    };
    const result = await client.exchange({ url: `${origin}/start`, ...call });
    expect(result).toMatchObject({ ok: false, kind: 'redirect', location: 'http://169.254.169.254/latest' });
    expect(isTransient(result)).toBe(false);
    expect(calls).toBe(1);
  });

  it('a Content-Length above the limit is refused before the body is read', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(5000));
    expect(await client.request({ url: origin, ...call })).toMatchObject({ ok: false, kind: 'too-large' });
  });

  it('a body without Content-Length ends at the limit', async () => {
    handler = (_request, response) => {
      response.write(Buffer.alloc(900));
      setTimeout(() => response.end(Buffer.alloc(900)), 20);
    };
    const response = await client.request({ url: origin, ...call });
    if (!response.ok) throw new Error(response.message);
    const reading = (async () => {
      for await (const _ of response.body);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'TransferError', kind: 'too-large' });
  });

  it('the text of an exchange is truncated at the limit', async () => {
    handler = (_request, response) => response.end('x'.repeat(100_000));
    expect(await client.exchange({ url: origin, ...call })).toMatchObject({
      ok: true,
      text: 'x'.repeat(1000),
      truncated: true,
    });
  });

  it('a server that sends no head times out', async () => {
    handler = () => undefined;
    const result = await client.exchange({ url: origin, timeoutMs: 100, limitBytes: 10 });
    expect(result).toMatchObject({ ok: false, kind: 'timeout' });
    expect(isTransient(result)).toBe(true);
  });

  it('a body that trickles times out', async () => {
    handler = (_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    };
    expect(await client.exchange({ url: origin, timeoutMs: 300, limitBytes: 1e6 })).toMatchObject({
      ok: false,
      kind: 'timeout',
    });
  });

  describe('with a least pace', () => {
    const leastPace = { headMs: 60_000, windowBytes: 100, windowMs: 400 };
    const paced = { ...call, timeoutMs: 120_000 };
    afterEach(() => jest.useRealTimers());

    it('a server that sends no head times out long before the end of the request’s time', async () => {
      handler = () => undefined;
      expect(await client.request({ url: origin, ...paced, leastPace: { ...leastPace, headMs: 200 } })).toMatchObject({
        ok: false,
        kind: 'timeout',
        message: expect.stringContaining('sent nothing within 200 ms'),
      });
    });

    it('a body that trickles times out', async () => {
      handler = (_request, response) => {
        const drip = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(drip));
      };
      const response = await client.request({ url: origin, ...paced, leastPace });
      if (!response.ok) throw new Error(response.message);
      await expect(response.body.toArray()).rejects.toMatchObject({
        name: 'TransferError',
        kind: 'timeout',
        message: expect.stringContaining('less than 100 bytes'),
      });
    });

    it('a body with that pace does not time out, however many windows it takes', () => {
      jest.useFakeTimers();
      const timeouts = startTimeouts('files.example', 120_000, leastPace);
      timeouts.headReceived();
      for (let window = 0; window < 100; window++) {
        timeouts.bodyReceived(leastPace.windowBytes);
        jest.advanceTimersByTime(leastPace.windowMs);
      }
      expect(timeouts.signal.aborted).toBe(false);
      jest.advanceTimersByTime(leastPace.windowMs);
      expect(timeouts.signal.aborted).toBe(true);
    });
  });

  it('a connection cut during the body is a transient fault', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    };
    const result = await client.exchange({ url: origin, ...call });
    expect(result).toMatchObject({ ok: false, kind: 'connection' });
    const streamed = await client.request({ url: origin, ...call });
    if (!streamed.ok) throw new Error(streamed.message);
    const failed = await streamed.body.toArray().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TransferError);
  });

  it('a request that the caller aborts throws the reason of the signal', async () => {
    handler = (_request, response) => void response.write('x');
    const controller = new AbortController();
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 50);
    await expect(client.exchange({ url: origin, ...call, signal: controller.signal })).rejects.toBe(reason);
  });

  it('destroying an unread body closes the connection', async () => {
    let closed = false;
    handler = (_request, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write('x');
    };
    const response = await client.request({ url: origin, ...call });
    if (!response.ok) throw new Error(response.message);
    response.body.destroy();
    expect(await eventually(async () => closed || undefined)).toBe(true);
  });
});

describe('retries', () => {
  it.each([
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
    [200, false],
    [400, false],
    [404, false],
    [410, false],
  ])('status %i is transient: %p', (status, transient) => expect(isTransient({ ok: true, status })).toBe(transient));

  it('Retry-After can be seconds or a date', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    expect(retryAfterMs({ 'retry-after': '120' }, now)).toBe(120_000);
    expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, now)).toBe(30_000);
    expect(retryAfterMs({ 'retry-after': '99999999' }, now)).toBe(86_400_000);
    for (const text of ['soon', '-5', '0', '', 'Wed, 31 Dec 2025 00:00:00 GMT']) {
      expect(retryAfterMs({ 'retry-after': text }, now)).toBeUndefined();
    }
    expect(retryAfterMs({}, now)).toBeUndefined();
  });
});

describe('the class of an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:80f::200e'])(
    '%s is public',
    (address) => expect(classifyAddress(address)).toBe('public'),
  );

  it.each([
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '127.255.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fd12::1',
  ])('%s is private', (address) => expect(classifyAddress(address)).toBe('private'));

  it.each([
    ['instance metadata', '169.254.169.254'],
    ['instance metadata over IPv6', 'fd00:ec2::254'],
    ['task credentials', '169.254.170.2'],
    ['metadata in the shared range', '100.100.100.200'],
    ['metadata in a public range', '168.63.129.16'],
    ['unspecified', '0.0.0.0'],
    ['unspecified IPv6', '::'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast IPv6', 'ff02::1'],
    ['reserved', '240.0.0.1'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64 of a network', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:53aa:64c::1'],
    ['site-local', 'fec0::1'],
    ['documentation IPv6', '2001:db8::1'],
    ['unassigned IPv6', '4000::1'],
    ['no address', 'localhost'],
    ['empty', ''],
  ])('%s (%s) is forbidden', (_name, address) => expect(classifyAddress(address)).toBe('forbidden'));
});
