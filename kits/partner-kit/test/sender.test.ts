import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSafeClient } from '../../../src/platform/http/safe-client';
import { newSigningSecret } from '../../../src/platform/http/webhook-signature';
import { createSend } from '../sender';

test('a slow delivery states its length, as every real one does, and arrives whole', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createSafeClient({ allowPrivate: true });
  const limits = { responseMs: 60_000, slowMs: 60_000, pieceMs: 1, settleMs: 0, shipSoonMs: 0 };
  const send = createSend(client, [newSigningSecret()], limits);
  const body = { id: '500001', city: 'Zürich' };
  const text = JSON.stringify(body);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await send({ url, body, isSlow: true })).toMatchObject({ ok: true, status: 200 });
  expect(received).toEqual([
    { headers: expect.objectContaining({ 'content-length': String(Buffer.byteLength(text)) }), body: text },
  ]);
  expect(received[0]!.headers).not.toHaveProperty('transfer-encoding');
  await client.close();
  await new Promise((resolve) => server.close(resolve));
});
