import { createSocket, type Socket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { createDnsResolve, resolveLocally } from '../../../../src/platform/http/outbound-addresses';
import { createSafeClient } from '../../../../src/platform/http/safe-client';

const A = 1;
const AAAA = 28;

let server: Socket;
let address: string;

/** Starts a DNS server that has two names, answers NXDOMAIN for `none.example`, and does not answer for other names. */
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.subarray(at + 1, at + 1 + query[at]!).toString());
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    const data =
      name === 'both.example'
        ? {
            [A]: Buffer.from([93, 184, 216, 34]),
            [AAAA]: Buffer.from('26064700470000000000000000001111', 'hex'),
          }[type]
        : name === 'internal.example' && type === A
          ? Buffer.from([10, 0, 0, 7])
          : undefined;
    if (data === undefined && !['none.example', 'internal.example'].includes(name)) return;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(name === 'none.example' ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data === undefined ? 0 : 1, 6);
    const answer = Buffer.alloc(data === undefined ? 0 : 12);
    if (data !== undefined) {
      answer.writeUInt16BE(0xc00c, 0);
      answer.writeUInt16BE(type, 2);
      answer.writeUInt16BE(1, 4);
      answer.writeUInt32BE(60, 6);
      answer.writeUInt16BE(data.length, 10);
    }
    server.send(Buffer.concat([head, question, answer, data ?? Buffer.alloc(0)]), from.port, from.address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${server.address().port}`;
});
afterAll(() => {
  server.close();
});

describe('DNS lookup', () => {
  it('returns the addresses of both families', async () => {
    expect(await createDnsResolve([address])('both.example')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
  });

  it('rejects for an unknown name', async () => {
    await expect(createDnsResolve([address])('none.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('finds a private address, which the client blocks', async () => {
    const client = createSafeClient({ allowPrivate: false, resolve: createDnsResolve([address]) });
    try {
      const result = await client.request({
        url: 'https://internal.example/',
        timeoutMs: 60_000,
        limitBytes: 10,
      });
      expect(result).toMatchObject({ ok: false, kind: 'blocked' });
    } finally {
      await client.close();
    }
  });

  it('delays neither file reads nor other names while servers do not respond', async () => {
    const resolve = createDnsResolve([address]);
    let ended = 0;
    const silent = Array.from({ length: 50 }, async (_, i) => {
      await resolve(`silent-${i}.example`).catch(() => []);
      ended += 1;
    });
    await readFile(__filename);
    expect(await resolveLocally('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await resolve('both.example')).toHaveLength(2);
    expect(ended).toBe(0);
    await Promise.all(silent);
  });
});
